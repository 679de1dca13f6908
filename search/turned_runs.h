#pragma once
// Runs the real program along the beginning of a schedule, up to a decision, and lets it go on from there in
// several ways: what happens after a decision that was turned, and after the same decision as recorded.
#include "replay/logged_run.h"
#include "replay/replay.h"
#include "trace/cut.h"
#include <functional>

namespace symbiosis {

// The runs behind one prefix.
struct Trial {
  size_t runs = 0, passed = 0;
  size_t diverged = 0;              // the program did not follow the prefix: a bug of ours
  std::string divergence;           // the first of these
  std::optional<LoggedRun> passing; // the first that came to its end without a failure
  std::optional<LoggedRun> failing; // the first that failed
};

class TurnedRuns {
public:
  // The trace of the recording, and the failing schedule of it.
  TurnedRuns(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing)
      : recording_(recording), trace_(trace), failing_(failing) {}

  // The ways to go on, numbered: 0 is what the other threads did in the failing schedule, as far as it can still
  // happen; 1 lets each thread run as long as it can; then random walks and priorities, another seed each.
  static constexpr size_t kFirstStrategies = 5;

  // Adds the ways from `first` to before `end` to the trial.
  Result<void> extend(Trial& trial, const EventOrder& prefix, size_t first, size_t end);

  // The same after everything up to `hold`, whose thread then waits until nobody else can go on. Numbers from 1.
  Result<void> extendDelayed(Trial& trial, EventRef hold, size_t first, size_t end);

  bool passes(const ControlReport& report) const;
  size_t runs() const { return runs_; }

private:
  using MakeRun = std::function<Result<ControlledRun>(size_t number)>;
  Result<void> runAll(Trial& trial, size_t first, size_t end, const MakeRun& make);
  Result<ControlledRun> along(const Schedule& schedule) const;
  Result<ControlledRun> continuation(const EventOrder& prefix, size_t number) const;
  Result<ControlledRun> delayed(EventRef hold, size_t number) const;
  Schedule withRest(const EventOrder& prefix) const;
  void count(Trial& trial, const ControlledRun& how, const ControlReport& report);

  const Recording& recording_;
  const SymbolicTrace& trace_;
  const EventOrder& failing_;
  size_t runs_ = 0;
};

} // namespace symbiosis
