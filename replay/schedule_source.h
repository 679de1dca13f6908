#pragma once
// Where exploration takes its runs from. Sources that only choose among the guest's strategies live in this room;
// those that ask a solver live in rooms above it.
//
// Runs are numbered from 1 and go in rounds: a round begins when every run of the earlier ones has ended. What a
// source answers for a run may depend on its number and on how runs of earlier rounds ended, never on others of
// its own round: these may end in any order, and the answer must not depend on how many run at once.
#include "replay/run_outcome.h"

namespace symbiosis {

class ScheduleSource {
public:
  virtual ~ScheduleSource() = default;
  // How many runs, `first` and those that follow, make the next round; 0: there is nothing left to try.
  virtual uint64_t roundFrom(uint64_t first) = 0;
  // The run with this number, which may be made again: `run`, which has the program and its limits, with a plan or
  // a strategy.
  virtual ControlledRun next(uint64_t number, ControlledRun run) = 0;
  // Tells how a run ended. All three are called from one thread at a time.
  virtual void ended(uint64_t number, const ControlReport& report, RunOutcome outcome) = 0;
};

} // namespace symbiosis
