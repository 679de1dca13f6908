#pragma once
// The real program along lists of turns that somebody makes up, within a budget.
#include "replay/run_outcome.h"
#include "replay/turns.h"
#include "support/stopwatch.h"
#include "trace/recording.h"

namespace symbiosis {

struct RunBudget {
  size_t runs = 1000;
  double seconds = 60;
};

class TurnRuns {
public:
  TurnRuns(const Recording& recording, RunBudget budget) : recording_(recording), budget_(budget) {}

  // One run: the turns, then nobody is preempted any more. Always the same for the same turns.
  Result<ControlReport> run(const Turns& turns);
  // One run along an exact plan, logged.
  Result<ControlReport> follow(Plan plan);

  // Where runs leave what they print; empty: nowhere.
  void keepOutputIn(std::filesystem::path file) { output_ = std::move(file); }
  // Points that a run may pass; from a run that is known to end.
  void expectLike(const ControlReport& report);
  RunOutcome outcomeOf(const ControlReport& report) const;
  bool isSpent() const { return runs_ >= budget_.runs || watch_.seconds() >= budget_.seconds; }
  size_t runs() const { return runs_; }
  double seconds() const { return watch_.seconds(); }

private:
  Result<ControlReport> make(Plan plan, bool isExact);

  const Recording& recording_;
  const RunBudget budget_;
  const Stopwatch watch_;
  std::filesystem::path output_;
  uint64_t mostPoints_ = 20'000'000;
  size_t runs_ = 0;
};

} // namespace symbiosis
