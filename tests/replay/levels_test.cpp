// The same run at the three levels of recording: what is left out at the lower ones changes neither the events nor
// what can be found out.
#include "constraints/schedule_solver.h"
#include "replay/replay.h"
#include "symexec/symexec.h"
#include "tests/replay/explored_failure.h"

namespace symbiosis {
namespace {

class Levels : public testing::ExploredFailure {
protected:
  static Result<SymbolicTrace> executeAt(const Recording& recording, format::Level level) {
    SymexecOptions options;
    options.atMost = level;
    return executeSymbolically(recording, options);
  }

  static std::string eventsOf(const SymbolicTrace& trace) {
    std::string text;
    for (const Event& event : trace.events) {
      text += fmt::format("{} {} {} {}", event.id.thread, event.id.index, toText(event.kind), event.variable);
      if (event.object != kNone) text += " " + trace.objects[event.object].id;
      for (uint32_t i = 0; i < event.partCount; ++i) {
        const Cell& cell = trace.cells[trace.parts[event.firstPart + i].cell];
        text += fmt::format(" [{}+{}]", cell.offset, cell.size);
      }
      text += "\n";
    }
    return text;
  }

  // A failing schedule is found without the values, and it fails on the real program.
  static void solveAndReplay(const Recording& recording, const SymbolicTrace& trace) {
    ScheduleSolver solver(trace);
    const ScheduleAnswer failing = solver.failing();
    ASSERT_EQ(failing.answer, Answer::sat) << failing.reason;
    Result<ReplayOutcome> failed =
        replaySchedule(recording, toSchedule(trace, failing.order, recording.info.programHash), {});
    ASSERT_TRUE(failed) << failed.error().message;
    EXPECT_EQ(failed->result, ReplayResult::failedAsRecorded) << failed->problem;
  }
};

TEST_P(Levels, LeaveTheEventsAsTheyAre) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  Result<SymbolicTrace> full = executeAt(recording, format::Level::full);
  ASSERT_TRUE(full) << full.error().message;
  Result<SymbolicTrace> addresses = executeAt(recording, format::Level::addresses);
  ASSERT_TRUE(addresses) << addresses.error().message;
  EXPECT_EQ(eventsOf(*addresses), eventsOf(*full));
  EXPECT_EQ(addresses->failure.bug.size(), full->failure.bug.size());
  solveAndReplay(recording, *addresses);
  Result<SymbolicTrace> path = executeAt(recording, format::Level::path);
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_EQ(eventsOf(*path), eventsOf(*full));
  for (const SymbolInfo& symbol : path->symbols) EXPECT_FALSE(symbol.observed);
  solveAndReplay(recording, *path);
}
INSTANTIATE_TEST_SUITE_P(Programs, Levels,
                         ::testing::Values("lost_update.c", "condvar_if.c", "dekker.c", "rwlock_upgrade.c",
                                           "semaphore_two.c", "barrier_early.c", "stack_aba.cpp",
                                           "timeout_gives_up.cpp", "closed_early.cpp", "no_join.c",
                                           "reference_count.c", "ring_early.c", "torn_pair.c", "bounded_buffer.c",
                                           "string_buffer.cpp", "find_then_insert.cpp"),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
