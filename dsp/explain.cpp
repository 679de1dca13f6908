#include "dsp/explain.h"
#include "dsp/unguarded.h"
#include "search/approach.h"
#include "support/stopwatch.h"

#include <algorithm>

namespace symbiosis {
namespace {

using Deadline = ScheduleSolver::Deadline;

// The cause may take this much of the time that is left, so that some remains for the alternate.
Deadline shareForCause(Deadline all) {
  const auto now = std::chrono::steady_clock::now();
  return all == Deadline::max() ? all : std::min(all, now + std::max(all - now, Deadline::duration{}) / 2);
}

Explanation explainThis(const SymbolicTrace& trace, ScheduleSolver& solver, EventOrder failing,
                        const ExplainOptions& options, Observer& observer) {
  Explanation found;
  found.failing = std::move(failing);

  // Root cause (§3.4): the orderings that force the failure.
  observer.begins(Stage::rootCause);
  const Deadline deadline = solver.deadline();
  solver.setDeadline(shareForCause(deadline));
  RootCauses causes = timed(found.seconds.rootCause,
                            [&] { return findRootCauses(trace, solver, found.failing, options.mostCauses); });
  found.causes = std::move(causes.causes);
  found.hasAllCauses = causes.complete;
  solver.setDeadline(deadline);

  // Alternate (§3.5): the nearest schedule that passes.
  observer.begins(Stage::alternate);
  found.alternates = timed(found.seconds.alternate, [&] {
    return findAlternates(trace, solver, found.failing, found.causes.front(), options.mostAlternates);
  });
  return found;
}

// No single inversion passes: several things went wrong at once, and one of them is enough to fail.
bool failsForSeveralReasons(const Explanation& explanation) {
  const Alternate& alternate = explanation.alternates.front();
  return alternate.status == AlternateStatus::found && !alternate.inverted;
}

} // namespace

bool Explanation::isAnswered() const {
  const AlternateStatus status = alternates.front().status;
  return causes.front().status != ProofStatus::unknown &&
         (status == AlternateStatus::found || status == AlternateStatus::noneProved);
}

bool Explanation::isProved() const { return isAnswered() && causes.front().status == ProofStatus::proved; }

Explanation explain(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                    const ExplainOptions& options, Observer& observer) {
  Explanation found = explainThis(trace, solver, failing, options, observer);
  if (!failsForSeveralReasons(found)) return found;

  // The failing schedule is brought nearer to the alternate, and explained anew.
  observer.begins(Stage::simplerSchedule);
  EventOrder simpler = timed(found.seconds.alternate, [&] {
    return unhappenedLast(trace,
                          nearestTo(trace, solver, found.alternates.front().order, Goal::failing, found.failing));
  });
  if (simpler == found.failing) return found;
  Explanation again = explainThis(trace, solver, std::move(simpler), options, observer);
  again.seconds += found.seconds;
  return again;
}

Diagnosis describe(const SymbolicTrace& trace, const Explanation& explanation) {
  Diagnosis diagnosis;
  diagnosis.failing = explanation.failing;
  diagnosis.rootCause = explanation.causes.front();
  diagnosis.otherCauses.assign(explanation.causes.begin() + 1, explanation.causes.end());
  diagnosis.alternate = explanation.alternates.front();
  diagnosis.otherAlternates.assign(explanation.alternates.begin() + 1, explanation.alternates.end());
  diagnosis.dsp = project(trace, diagnosis.failing, diagnosis.rootCause, diagnosis.alternate);
  diagnosis.classification =
      classify(trace, diagnosis.failing, diagnosis.rootCause, diagnosis.alternate, diagnosis.dsp);
  sayForgottenLock(trace, diagnosis.failing, diagnosis.classification);
  return diagnosis;
}

} // namespace symbiosis
