#include "dsp/failing_schedule.h"
#include "constraints/contradiction.h"
#include "support/stopwatch.h"
#include "trace/recorded_order.h"
#include "trace/switches.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {
namespace {

// The facts that contradict each other, one per line.
std::string contradictionText(const SymbolicTrace& trace, const SolverLimits& limits) {
  std::string text;
  for (const std::string& sentence : explainContradiction(trace, Goal::failing, limits))
    text += "\n  - " + sentence;
  return text.empty() ? text : ". These contradict each other:" + text + "\n";
}

Error noFailingSchedule(const ScheduleAnswer& answer, const SymbolicTrace& trace, const SolverLimits& limits,
                        bool wasControlled, const std::vector<std::string>& knownLimits) {
  if (answer.answer == Answer::unknown)
    return gaveUp(fmt::format("no failing schedule found: {}. Try --time-limit with more seconds", answer.reason));
  if (trace.guessedAddresses)
    return gaveUp(
        "no order of the recorded events fails as the run did: level path does not record which addresses "
        "were used, and those that fit best do not fit. Profile again with --record addresses");
  const std::string contradiction = contradictionText(trace, limits);
  if (wasControlled)
    return gaveUp(fmt::format(
        "the recorded run cannot be explained by any order of its events: either uninstrumented "
        "code wrote shared memory, or this is a bug of symbiosis ({}){}{}Record another failing run with: "
        "symbiosis profile --schedule portfolio --seed 2",
        fmt::join(knownLimits, "; "), contradiction, contradiction.empty() ? ". " : ""));
  return gaveUp(fmt::format(
      "the recorded run is not explainable under sequential consistency: no order of its events fails as it did "
      "(the processor may have reordered accesses, or uninstrumented code wrote shared memory){}{}Record again "
      "under control with: symbiosis profile --schedule portfolio",
      contradiction, contradiction.empty() ? ". " : ""));
}

// The order in which a controlled run took place, if it is wanted and the trace agrees that it fails.
struct RecordedOrder {
  EventOrder order;  // empty: there is none
  std::string limit; // why it is not taken; empty: nothing to say
};
Result<RecordedOrder> orderAsRecorded(const SymbolicTrace& trace, const Recording& recording, WantedOrder wanted) {
  if (wanted == WantedOrder::solved) return RecordedOrder{};
  EventOrder order = recordedOrder(trace, recording);
  if (order.empty() && wanted == WantedOrder::recorded)
    return badInput(
        "--order recorded: this run was native, and its order was not recorded; leave the option out, or "
        "record with: symbiosis profile --schedule portfolio");
  if (order.empty()) return RecordedOrder{};
  const Evaluation evaluation = Evaluator(trace).explain(order);
  if (evaluation.outcome == Outcome::failing) return RecordedOrder{std::move(order), {}};
  return RecordedOrder{
      {},
      fmt::format("the recorded order does not explain the failure ({}{}{}); it was solved for instead",
                  toText(evaluation.outcome), evaluation.reason.empty() ? "" : ": ", evaluation.reason)};
}

} // namespace

Result<FailingSchedule> findFailingSchedule(const SymbolicTrace& trace, const Recording& recording,
                                            const SolverOptions& solverOptions, const FailingOptions& options) {
  constexpr double kSecondsForASimplerOne = 5;
  FailingSchedule found;
  if (options.given) {
    found.order = unhappenedLast(trace, *options.given);
    found.originalSwitches = contextSwitches(trace, found.order);
    found.originalPreemptions = preemptions(trace, found.order);
    return found;
  }
  // The same failure with fewer context switches (§3.7), if these are fewer than those of what was found before.
  auto consider = [&](const EventOrder& order) {
    EventOrder reduced =
        options.reduces ? timed(found.seconds.csr, [&] { return reduceContextSwitches(trace, order); }) : order;
    if (!found.order.empty() && contextSwitches(trace, reduced) >= contextSwitches(trace, found.order)) return;
    found.order = std::move(reduced);
    found.originalSwitches = contextSwitches(trace, order);
    found.originalPreemptions = preemptions(trace, order);
  };
  Result<RecordedOrder> recorded = orderAsRecorded(trace, recording, options.order);
  if (!recorded) return recorded.error();
  const bool hasRecorded = !recorded->order.empty();
  if (!recorded->limit.empty()) found.limits.push_back(recorded->limit);
  if (hasRecorded) consider(recorded->order);
  const bool isEnough = hasRecorded && options.order == WantedOrder::recorded;
  if (!isEnough) {
    SolverOptions limited = solverOptions;
    if (hasRecorded) limited.limits.seconds = std::min(limited.limits.seconds, kSecondsForASimplerOne);
    ScheduleSolver solver(trace, limited);
    ScheduleAnswer solved = timed(found.seconds.failing, [&] { return solver.failing(); });
    found.solver = solver.stats();
    if (solved.answer == Answer::sat)
      consider(solved.order);
    else if (!hasRecorded)
      return noFailingSchedule(solved, trace, limited.limits, !recording.granted.empty(), found.limits);
  }
  found.order = unhappenedLast(trace, std::move(found.order));
  return found;
}

} // namespace symbiosis
