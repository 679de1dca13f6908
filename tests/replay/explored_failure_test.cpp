// The whole way round for every wrong program: explore, record the failing run, execute it symbolically, solve for
// a failing and a passing schedule, and replay both on the real program. Fails wherever two rooms count events
// differently.
#include "constraints/schedule_solver.h"
#include "replay/replay.h"
#include "symexec/symexec.h"
#include "tests/replay/explored_failure.h"
#include "trace/recorded_order.h"

namespace symbiosis {
namespace {

class ExploredFailure : public testing::ExploredFailure {};

TEST_P(ExploredFailure, IsSolvedAndReplayed) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  ASSERT_TRUE(trace) << trace.error().message;
  // The run evaluates as it went: the same outcome, and every read has the value that was recorded.
  const EventOrder asItWent = recordedOrder(*trace, recording);
  Evaluator evaluator(*trace);
  const Evaluation evaluation = evaluator.explain(asItWent);
  EXPECT_EQ(evaluation.outcome, Outcome::failing) << evaluation.reason;
  for (uint32_t symbol = 0; symbol < trace->symbols.size(); ++symbol)
    if (const SymbolInfo& info = trace->symbols[symbol]; info.observed && !trace->event(info.event).tail) {
      EXPECT_EQ(evaluator.symbolValue(symbol), *info.observed) << trace->describe(info.event);
    }
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
                                           "peterson_turn.c", "null_order.c", "find_then_insert.cpp",
                                           "timeout_gives_up.cpp", "lock_gone.c", "uncaught.cpp",
                                           "exit_quickly.c"),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
