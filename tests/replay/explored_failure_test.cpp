// The whole way round for every wrong program: explore, record the failing run, execute it symbolically, solve for
// a failing and a passing schedule, and replay both on the real program. Fails wherever two rooms count events
// differently.
#include "constraints/schedule_solver.h"
#include "replay/explore.h"
#include "replay/replay.h"
#include "symexec/symexec.h"
#include "tests/replay/compiled_program.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

using testing::compiledProgram;

class ExploredFailure : public ::testing::TestWithParam<const char*> {
protected:
  void record(Recording& recording) {
    ExploreOptions options;
    options.launch.program = compiledProgram(fmt::format("wrong/{}", GetParam()));
    options.launch.quiet = true;
    options.launch.timeoutSeconds = 60;
    Result<ExploreResult> result = explore(options);
    ASSERT_TRUE(result && result->failure);
    const std::filesystem::path logs = directory_.path() / "logs";
    Result<ControlReport> again = recordAgain(*result->failure, logs);
    ASSERT_TRUE(again) << again.error().message;
    NewRecording made;
    made.logs = logs;
    made.executable = options.launch.program;
    made.info.program = options.launch.program.string();
    made.info.ending = again->ending;
    Result<void> saved = saveRecording(made, directory_.path() / "recording", directory_.path() / "store");
    ASSERT_TRUE(saved) << saved.error().message;
    Result<Recording> opened = openRecording(directory_.path() / "recording");
    ASSERT_TRUE(opened) << opened.error().message;
    recording = std::move(*opened);
  }

  testing::TemporaryDirectory directory_;
};

TEST_P(ExploredFailure, IsSolvedAndReplayed) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  ASSERT_TRUE(trace) << trace.error().message;
  ScheduleSolver solver(*trace);
  const ScheduleAnswer failing = solver.failing();
  ASSERT_EQ(failing.answer, Answer::sat) << failing.reason;
  const ScheduleAnswer passing = solver.passing({});
  RecordProperty("passing", passing.answer == Answer::sat     ? "sat"
                            : passing.answer == Answer::unsat ? "unsat"
                                                              : "unknown");
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    ReplayOptions options;
    options.seed = seed;
    for (const EventOrder& order : {failing.order, reduceContextSwitches(*trace, failing.order)}) {
      Result<ReplayOutcome> failed =
          replaySchedule(recording, toSchedule(*trace, order, recording.info.programHash), options);
      ASSERT_TRUE(failed) << failed.error().message;
      EXPECT_EQ(failed->result, ReplayResult::failedAsRecorded) << failed->problem;
    }
    if (passing.answer != Answer::sat) continue;
    options.expectation = Expectation::passes;
    Result<ReplayOutcome> passed =
        replaySchedule(recording, toSchedule(*trace, passing.order, recording.info.programHash), options);
    ASSERT_TRUE(passed) << passed.error().message;
    EXPECT_TRUE(passed->passedFailurePoint) << toText(passed->result) << " " << passed->problem;
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, ExploredFailure,
                         ::testing::Values("lost_update.c", "condvar_if.c", "dekker.c", "rwlock_upgrade.c",
                                           "semaphore_two.c", "barrier_early.c", "stack_aba.cpp",
                                           "timeout_gives_up.cpp"),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
