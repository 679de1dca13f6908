#include "dsp/kept_updates.h"
#include "dsp/failure_slice.h"
#include <algorithm>

namespace symbiosis {
namespace {

constexpr size_t kFailing = 0, kAlternate = 1;

// The access is really there, not only one that a symbolic offset might have had.
bool touches(const EvaluatedSchedule& run, EventRef ref, uint32_t cell) {
  const Event& event = run.trace().event(ref);
  for (uint32_t part = event.firstPart; part < event.firstPart + event.partCount; ++part)
    if (run.trace().parts[part].cell == cell && run.touches(part)) return true;
  return false;
}

// What both the read and the writes touch.
std::vector<LostUpdate> lostIn(const EvaluatedSchedule& run, const LostUpdates& updates) {
  std::vector<LostUpdate> lost = updates.in(run.order());
  std::erase_if(lost, [&](const LostUpdate& update) {
    return !touches(run, update.read, update.cell) || !touches(run, update.write, update.cell) ||
           !touches(run, update.lost, update.cell);
  });
  return lost;
}

} // namespace

std::optional<LostUpdate> lostOnlyWhenFailing(const OtherPath& path) {
  const EvaluatedSchedule failing(path.runs[kFailing], path.orders[kFailing]);
  const EvaluatedSchedule passing(path.runs[kAlternate], path.orders[kAlternate]);
  const LostUpdates updates(path.runs[kFailing]), others(path.runs[kAlternate]);
  if (!failing.isFeasible() || !passing.isFeasible() || !others.isComplete()) return {};
  const std::vector<LostUpdate> lost = lostIn(failing, updates);
  if (lost.empty()) return {};
  std::set<uint32_t> lostToo, updated; // cells of the joined trace: in the run that passes
  for (const LostUpdate& update : lostIn(passing, others))
    lostToo.insert(path.joined.joinedCell[kAlternate][update.cell]);
  // Where only one thread writes, its reads may be no events, and nothing is lost.
  for (const Part& part : path.runs[kAlternate].parts)
    if (part.written != kNoExpr) updated.insert(path.joined.joinedCell[kAlternate][part.cell]);
  const FailureSlice slice(failing, FailureSlice::Deciders::ofAllWriters);
  for (const LostUpdate& update : lost) {
    const uint32_t joined = path.joined.joinedCell[kFailing][update.cell];
    if (slice.cells().contains(update.cell) && updated.contains(joined) && !lostToo.contains(joined))
      return update;
  }
  return {};
}

} // namespace symbiosis
