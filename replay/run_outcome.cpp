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

uint64_t& ExploreCounts::of(RunOutcome outcome) {
  switch (outcome) {
  case RunOutcome::passed: return passed;
  case RunOutcome::failed: return failed;
  case RunOutcome::limited: return limited;
  case RunOutcome::stuck: return stuck;
  case RunOutcome::gaveUp: return gaveUp;
  case RunOutcome::diverged: return diverged;
  case RunOutcome::unrepeated: break;
  }
  return unrepeated;
}

void ExploreCounts::add(RunOutcome outcome) {
  ++runs;
  ++of(outcome);
}

void ExploreCounts::takeBack(RunOutcome outcome) {
  --runs;
  --of(outcome);
}

} // namespace symbiosis
