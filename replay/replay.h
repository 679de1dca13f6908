#pragma once
// The room `replay`: launches the real program under a schedule or a strategy, supervises it and compares what
// happened with what should have. It promises that a run always comes back with an answer: as scheduled, diverged
// at the first wrong event, deadlocked, or stuck.
#include "replay/controlled_run.h"
#include "replay/launch.h"
#include "trace/recording.h"
#include "trace/schedule.h"

namespace symbiosis {

struct ReplayOptions {
  Expectation expectation = Expectation::fails;
  double timeoutSeconds = 60;
  double stallSeconds = 5;
  uint64_t seed = 1; // of the strategy that goes on after the schedule's last entry
  bool quiet = true; // the program's output is dropped
  std::filesystem::path outputFile, errorFile;
  bool listsEvents = false; // all that was granted, in ReplayOutcome::events
};

// One step of a replay.
struct GrantedEvent {
  std::string thread; // hierarchical id
  uint64_t index = 0; // of a silent one (a sleep, a call that is not recorded): of the thread's next event
  std::string kind;
  bool silent = false;
};

enum class ReplayResult {
  failedAsRecorded, // the same failure: kind, thread, place
  failedOtherwise,  // another failure, or at another place
  finished,         // the program came to its end without a failure
  diverged,         // something else happened than the schedule says
  deadlocked,
  stuck, // no progress, a time-out or too many steps
};
const char* toText(ReplayResult result);

struct ReplayOutcome {
  ReplayResult result = ReplayResult::diverged;
  Ending ending;
  // The thread of the failure got past the check; says nothing where Expectation::fails was asked for.
  bool passedFailurePoint = false;
  bool continuedElsewhere = false; // a synthetic release did not happen: the rest was up to the strategy
  std::string problem;             // divergence, deadlock or stall, in words; empty: none
  uint64_t steps = 0, points = 0, switches = 0;
  std::vector<GrantedEvent> events;
};

// The recording's own copy of the program, with the arguments, the input and, if it is still there, the working
// directory of the recorded run.
LaunchOptions launchOf(const Recording& recording);

// Error: the schedule belongs to another program, or to another build of it.
Result<void> checkProgram(const Recording& recording, const Schedule& schedule);

// The run that follows the schedule, with the recorded inputs, and then goes on at random; its strategy may be
// changed before it is run. Error: the schedule is not one of this program.
Result<ControlledRun> runAlong(const Recording& recording, const Schedule& schedule, const ReplayOptions& options);

// The same for a plan, whose inputs are filled in.
ControlledRun runOf(const Recording& recording, Plan plan, const ReplayOptions& options);

// What a controlled run was granted, as a plan that leaves nothing open.
Plan planAsRecorded(const Recording& recording);

// The run once more as it was recorded, under control, to its end. Error: it was native.
Result<ControlledRun> runAsRecorded(const Recording& recording, const ReplayOptions& options);

// What a run along the schedule (runAlong) has come to.
ReplayOutcome outcomeAlong(const Recording& recording, const Schedule& schedule, const ControlledRun& run,
                           const ControlReport& report);

// Runs the recording's own copy of the program. Error: it cannot be run, or the schedule is not one of this
// program.
Result<ReplayOutcome> replaySchedule(const Recording& recording, const Schedule& schedule,
                                     const ReplayOptions& options);

// Repeats a recorded run that passed; anything else than that run has diverged.
Result<ReplayOutcome> repeatRecorded(const Recording& recording, const ReplayOptions& options);

// Either run inside gdb. The answer is what the runtime had to say when the session was over: a divergence, a
// deadlock; empty: nothing.
Result<std::string> debug(const Recording& recording, ControlledRun run, Debugger debugger);

} // namespace symbiosis
