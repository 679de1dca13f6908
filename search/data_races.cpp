#include "search/data_races.h"
#include "constraints/must_order.h"
#include "constraints/sync_structure.h"
#include "trace/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace symbiosis {
namespace {

// What a thread holds at an event, and whether others are kept out.
using Held = std::map<uint32_t, bool>;

std::vector<Held> heldAtEvents(const SymbolicTrace& trace, const SyncStructure& sync) {
  std::vector<Held> held(trace.events.size());
  auto hold = [&](const CriticalSection& section, uint32_t object, bool excludes) {
    const TraceThread& thread = trace.threads[section.thread];
    const EventRef end = section.release == kNoEvent ? thread.firstEvent + thread.eventCount : section.release;
    for (EventRef ref = section.acquire + 1; ref < end; ++ref) held[ref][object] |= excludes;
  };
  for (const MutexUse& mutex : sync.mutexes)
    for (const CriticalSection& section : mutex.sections) hold(section, mutex.object, true);
  for (const RwLockUse& lock : sync.rwlocks)
    for (const RwLockUse::Hold& section : lock.holds) hold(section, lock.object, section.writes);
  return held;
}

class Races {
public:
  Races(const SymbolicTrace& trace, RacingPlaces& known, const SolverLimits& limits)
      : trace_(trace), known_(known), limits_(limits), sync_(analyseSync(trace)), order_(trace, sync_.must),
        held_(heldAtEvents(trace, sync_)) {}

  RaceSearch run() {
    std::vector<std::vector<EventRef>> touching(trace_.cells.size());
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      if (isAccess(trace_.event(ref).kind))
        for (const Part& part : trace_.partsOf(ref))
          if (touching[part.cell].empty() || touching[part.cell].back() != ref) touching[part.cell].push_back(ref);
    for (uint32_t cell = 0; cell < touching.size(); ++cell)
      for (size_t i = 0; i < touching[cell].size(); ++i)
        for (size_t k = i + 1; k < touching[cell].size(); ++k) look(touching[cell][i], touching[cell][k], cell);
    return std::move(result_);
  }

private:
  bool writes(EventRef ref, uint32_t cell) const {
    for (const Part& part : trace_.partsOf(ref))
      if (part.cell == cell && part.written != kNoExpr) return true;
    return false;
  }
  bool keepApart(EventRef a, EventRef b) const {
    for (const auto& [object, excludes] : held_[a])
      if (auto other = held_[b].find(object); other != held_[b].end() && (excludes || other->second)) return true;
    return order_.before(a, b) || order_.before(b, a);
  }
  std::string placeOf(EventRef ref) const {
    const uint32_t at = trace_.event(ref).location;
    return at == kNone ? "" : fmt::format("{}:{}", trace_.locations[at].file, trace_.locations[at].line);
  }

  void look(EventRef a, EventRef b, uint32_t cell) {
    if (trace_.threadOf(a) == trace_.threadOf(b) || (trace_.event(a).atomic && trace_.event(b).atomic)) return;
    if (trace_.cells[cell].isLife || (!writes(a, cell) && !writes(b, cell)) || keepApart(a, b)) return;
    const std::pair<std::string, std::string> places = std::minmax(placeOf(a), placeOf(b));
    if (known_.contains(places) || !asked_.insert({a, b}).second) return;
    ++result_.asked;
    const Standing standing = meetingAt(trace_, a, b);
    const OrderEdge edge{standing.inTrace[b - 1], standing.stop};
    const ScheduleAnswer answer = ScheduleSolver(standing.trace, limits_).passing({&edge, 1});
    if (answer.answer == Answer::sat) {
      known_.insert(places);
      result_.races.push_back({a, b, meeting(standing, answer.order, a, b)});
    } else if (answer.answer == Answer::unknown && result_.unanswered++ == 0) {
      result_.reason = answer.reason;
    }
  }

  // Up to the stop, in events of the whole trace, and then the two accesses.
  EventOrder meeting(const Standing& standing, const EventOrder& order, EventRef a, EventRef b) const {
    std::vector<EventRef> original(standing.trace.events.size(), kNoEvent);
    for (EventRef ref = 0; ref < standing.inTrace.size(); ++ref)
      if (standing.inTrace[ref] != kNoEvent) original[standing.inTrace[ref]] = ref;
    EventOrder result;
    for (EventRef ref : order) {
      if (ref == standing.stop) break;
      result.push_back(original[ref]);
    }
    result.push_back(a);
    result.push_back(b);
    return result;
  }

  const SymbolicTrace& trace_;
  RacingPlaces& known_;
  const SolverLimits limits_;
  const SyncStructure sync_;
  const MustOrder order_;
  const std::vector<Held> held_;
  std::set<std::pair<EventRef, EventRef>> asked_;
  RaceSearch result_;
};

} // namespace

RaceSearch findRaces(const SymbolicTrace& trace, RacingPlaces& known, const SolverLimits& limits) {
  return Races(trace, known, limits).run();
}

} // namespace symbiosis
