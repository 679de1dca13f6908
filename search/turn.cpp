// Theory. A decision is turned *alone* if what other threads had decided before it stays decided before it: then
// nothing but this one went otherwise. Otherwise another thread might silently take back a decision of its own,
// and a run that passes would say nothing about this one. So the other threads' last earlier decisions are asked
// to stay in front of it first; only where that is impossible are they let go.
#include "search/turn.h"
#include "search/approach.h"
#include "search/held_back.h"
#include <algorithm>

namespace symbiosis {
namespace {

// For each other thread, its last decision before the cut stays before it.
std::vector<OrderEdge> earlierDecisions(const SymbolicTrace& trace, const EventOrder& failing,
                                        const Decision& decision, const Cut& cut) {
  std::vector<EventRef> last(trace.threads.size(), kNoEvent);
  std::vector<bool> decides(trace.events.size());
  for (const Decision& other : decisionsIn(trace, failing)) decides[other.event] = true;
  for (EventRef ref : failing) {
    if (ref == decision.event) break;
    if (decides[ref]) last[trace.threadOf(ref)] = ref;
  }
  std::vector<OrderEdge> edges;
  for (ThreadIndex thread = 0; thread < last.size(); ++thread)
    if (last[thread] != kNoEvent && thread != trace.threadOf(decision.event))
      edges.push_back({cut.inCut[last[thread]], cut.decision});
  return edges;
}

// The order may end with the decision.
bool keeps(const Cut& cut, const EventOrder& order, const std::vector<OrderEdge>& edges) {
  std::vector<size_t> position(cut.trace.events.size(), SIZE_MAX);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return std::all_of(edges.begin(), edges.end(),
                     [&](const OrderEdge& e) { return position[e.before] < position[e.after]; });
}

} // namespace

Turn turn(const SymbolicTrace& trace, const EventOrder& failing, const Decision& decision,
          const SolverLimits& limits) {
  const Cut cut = cutAt(trace, decision);
  const EventOrder model = cut.cutDown(failing);
  const std::vector<OrderEdge> keep = earlierDecisions(trace, failing, decision, cut);
  Turn result;
  for (const EventOrder& order : turnedByHolding(cut, model)) {
    const bool alone = keeps(cut, order, keep);
    if (result.status == TurnStatus::notAlone && !alone) continue;
    result.status = alone ? TurnStatus::possible : TurnStatus::notAlone;
    result.prefix = cut.prefixOf(order);
    if (alone) break;
  }
  if (result.status != TurnStatus::unknown || limits.seconds <= 0) return result;
  ScheduleSolver solver(cut.trace, limits);
  solver.guideBy(model);
  result.status = TurnStatus::possible;
  ScheduleAnswer answer = solver.passing(keep);
  if (answer.answer == Answer::unsat && !keep.empty()) {
    result.status = TurnStatus::notAlone;
    answer = solver.passing({});
  }
  if (answer.answer != Answer::sat) {
    result.status = answer.answer == Answer::unsat ? TurnStatus::impossible : TurnStatus::unknown;
    result.reason = answer.reason;
    return result;
  }
  const EventOrder near = nearestTo(cut.trace, solver, model, Goal::passing, answer.order);
  const bool isAsGood = result.status == TurnStatus::notAlone || keeps(cut, near, keep);
  result.prefix = cut.prefixOf(isAsGood ? near : answer.order);
  return result;
}

} // namespace symbiosis
