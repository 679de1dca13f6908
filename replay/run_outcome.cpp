#include "replay/run_outcome.h"

namespace symbiosis {

RunOutcome outcomeOf(const ControlReport& report, int expectedExit) {
  switch (report.outcome) {
  case format::ControlOutcome::deadlock: return RunOutcome::failed;
  case format::ControlOutcome::diverged: return RunOutcome::diverged;
  case format::ControlOutcome::stepLimit: return RunOutcome::limited;
  case format::ControlOutcome::gaveUp: return RunOutcome::gaveUp;
  case format::ControlOutcome::running:
  case format::ControlOutcome::finished: break;
  }
  if (report.stuck || report.ending.kind == EndingKind::timedOut) return RunOutcome::stuck;
  return report.ending == Ending{EndingKind::exited, expectedExit} ? RunOutcome::passed : RunOutcome::failed;
}

void ExploreCounts::add(RunOutcome outcome) {
  ++runs;
  switch (outcome) {
  case RunOutcome::passed: ++passed; break;
  case RunOutcome::failed: ++failed; break;
  case RunOutcome::limited: ++limited; break;
  case RunOutcome::stuck: ++stuck; break;
  case RunOutcome::gaveUp: ++gaveUp; break;
  case RunOutcome::diverged: ++diverged; break;
  }
}

} // namespace symbiosis
