#include "breakpoints/conflicts.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <map>

namespace symbiosis {
namespace {

bool writes(const Event& event) { return event.kind == EventKind::write || event.kind == EventKind::rmw; }

bool takesLock(const Event& event) {
  return event.kind == EventKind::lock || event.kind == EventKind::wrlock || event.kind == EventKind::rdlock;
}

// What the event may conflict on: the cells that it touches, or the lock. Locks have numbers behind all cells.
std::vector<uint64_t> subjectsOf(const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  std::vector<uint64_t> subjects;
  if (isAccess(event.kind))
    for (const Part& part : trace.partsOf(ref))
      if (!trace.cells[part.cell].isLife) subjects.push_back(part.cell);
  if (takesLock(event) && event.object != kNone) subjects.push_back(trace.cells.size() + uint64_t{event.object});
  return subjects;
}

bool areInConflict(const Event& a, const Event& b) {
  if (a.id.thread == b.id.thread) return false;
  return (takesLock(a) && takesLock(b)) || writes(a) || writes(b);
}

struct Found {
  Conflict conflict;
  size_t distance = 0;
};

} // namespace

std::vector<Conflict> conflictsOf(const SymbolicTrace& trace, const Visits& visits, const EventOrder& order,
                                  size_t most) {
  constexpr size_t kWindow = 64;                     // events on one subject that are compared with each
  std::map<uint64_t, std::vector<size_t>> bySubject; // positions
  for (size_t at = 0; at < order.size(); ++at)
    for (uint64_t subject : subjectsOf(trace, order[at])) bySubject[subject].push_back(at);
  std::map<std::pair<SourcePlace, SourcePlace>, Found> pairs;
  auto consider = [&](size_t i, size_t j) {
    const EventRef one = order[i], other = order[j];
    if (!areInConflict(trace.event(one), trace.event(other))) return;
    Result<Coming> a = visits.before(one), b = visits.before(other);
    if (!a || !b) return;
    const auto key = std::minmax(a->at, b->at);
    const Found found{{one, other, trace.event(one).variable}, j - i};
    auto [known, isNew] = pairs.try_emplace({key.first, key.second}, found);
    if (!isNew && found.distance < known->second.distance) known->second = found;
  };
  for (const auto& [subject, positions] : bySubject)
    for (size_t i = 0; i < positions.size(); ++i)
      for (size_t j = i + 1; j < std::min(positions.size(), i + kWindow); ++j)
        consider(positions[i], positions[j]);
  std::vector<Found> found;
  for (const auto& [places, each] : pairs) found.push_back(each);
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.distance < b.distance; });
  std::vector<Conflict> conflicts;
  for (const Found& each : found)
    if (conflicts.size() < most) conflicts.push_back(each.conflict);
  return conflicts;
}

Result<std::vector<TriedOrder>> tryConflicts(const Recording& recording, const SymbolicTrace& trace,
                                             const std::vector<Conflict>& conflicts, size_t times,
                                             const SearchProgress& progress) {
  std::vector<TriedOrder> tried;
  for (const Conflict& conflict : conflicts)
    for (bool turned : {false, true}) {
      const EventRef first = turned ? conflict.second : conflict.first;
      const EventRef second = turned ? conflict.first : conflict.second;
      Result<EnforcedRuns> runs =
          runEnforced(recording, trace, {{first, kNoEvent, second}}, times, false,
                      [&](size_t run) { progress(tried.size(), 2 * conflicts.size(), run); });
      if (!runs) return runs.error();
      tried.push_back({{first, second, conflict.variable}, *runs});
    }
  return tried;
}

} // namespace symbiosis
