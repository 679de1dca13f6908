#include "search/turn_runs.h"
#include "replay/replay.h"

namespace symbiosis {

Result<ControlReport> TurnRuns::make(Plan plan, bool isExact) {
  ReplayOptions options;
  options.timeoutSeconds = 20;
  options.outputFile = output_;
  ControlledRun run = runOf(recording_, std::move(plan), options);
  run.strategy = isExact ? format::Strategy::randomWalk : format::Strategy::fair;
  run.log = format::ControlLog::switches;
  run.stepLimit = mostPoints_;
  ++runs_;
  return runControlled(run);
}

Result<ControlReport> TurnRuns::run(const Turns& turns) {
  Result<Plan> plan = planOf(turns);
  if (!plan) return plan.error();
  return make(std::move(*plan), false);
}

Result<ControlReport> TurnRuns::follow(Plan plan) { return make(std::move(plan), true); }

// A thread that waits for another in a loop may take its time.
void TurnRuns::expectLike(const ControlReport& report) { mostPoints_ = 10 * report.points + 100'000; }

RunOutcome TurnRuns::outcomeOf(const ControlReport& report) const {
  return symbiosis::outcomeOf(report, recording_.info.expectedExit);
}

} // namespace symbiosis
