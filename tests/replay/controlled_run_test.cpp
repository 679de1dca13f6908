// Random runs repeated exactly, and schedules that do not fit.
#include "replay/controlled_run.h"
#include "support/files.h"
#include "tests/replay/compiled_program.h"
#include "tests/support/scale.h"
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace symbiosis {
namespace {

using format::ControlLog;
using format::ControlOutcome;
using testing::compiledProgram;

struct Observed {
  ControlReport report;
  std::string output;
};

class ControlledRunTest : public ::testing::Test {
protected:
  ControlledRun runOf(const std::string& source) {
    ControlledRun run;
    run.launch.program = compiledProgram(source);
    run.launch.timeoutSeconds = 30;
    run.launch.outputFile = directory_.path() / "out";
    run.launch.errorFile = directory_.path() / "err";
    return run;
  }

  ControlledRun randomRun(const std::string& source, uint64_t seed, ControlLog log) {
    ControlledRun run = runOf(source);
    run.strategy = format::Strategy::randomWalk;
    run.seed = seed;
    run.log = log;
    run.parameters.meanRun = uint32_t(1 + seed % 8);
    return run;
  }

  Observed observe(const ControlledRun& run) {
    Result<ControlReport> report = runControlled(run);
    EXPECT_TRUE(report) << report.error().message;
    return {report ? *report : ControlReport{},
            *readFile(run.launch.outputFile) + *readFile(run.launch.errorFile)};
  }

  void expectSame(const Observed& first, const Observed& again) {
    EXPECT_EQ(again.report.text, first.report.text);
    EXPECT_EQ(again.report.ending, first.report.ending);
    EXPECT_EQ(again.report.outcome, first.report.outcome);
    EXPECT_EQ(again.report.points, first.report.points);
    EXPECT_EQ(again.output, first.output);
    ASSERT_EQ(again.report.log.size(), first.report.log.size());
    EXPECT_EQ(std::memcmp(again.report.log.data(), first.report.log.data(),
                          first.report.log.size() * sizeof(format::ControlEntry)),
              0);
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(ControlledRunTest, RepeatsRandomRunsExactly) {
  for (const char* source : {"wrong/lost_update.c", "wrong/ab_ba.c"}) {
    std::set<std::string> outputs;
    const uint64_t runs = 110 * testing::testScale();
    for (uint64_t seed = 1; seed <= runs && !HasFailure(); ++seed) {
      const ControlLog log = seed % 2 ? ControlLog::switches : ControlLog::everything;
      const Observed first = observe(randomRun(source, seed, log));
      ControlledRun repeat = runOf(source);
      repeat.plan = planOf(first.report);
      repeat.strict = true;
      repeat.log = log;
      expectSame(first, observe(repeat));
      outputs.insert(first.output + first.report.text);
      if (HasFailure()) ADD_FAILURE() << source << ", seed " << seed;
    }
    EXPECT_GT(outputs.size(), 1u) << "all runs of " << source << " are alike";
  }
}

// A thread that is blocked in the kernel does not stop the others, and who was served first is repeated.
TEST_F(ControlledRunTest, RepeatsWhoWasServedFirstAtAPipe) {
  for (const char* source : {"correct/pipe.c", "wrong/pipe_order.c"})
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const Observed first = observe(randomRun(source, seed, ControlLog::switches));
      ASSERT_FALSE(first.report.stuck) << first.report.text;
      ControlledRun repeat = runOf(source);
      repeat.plan = planOf(first.report);
      repeat.strict = true;
      repeat.log = ControlLog::switches;
      for (int time = 0; time < 20 && !HasFailure(); ++time) expectSame(first, observe(repeat));
    }
}

// Input that another process sends, late: nobody can go on until it comes, and that is no deadlock.
TEST_F(ControlledRunTest, WaitsForInputFromOutside) {
  ControlledRun run = randomRun("correct/pipe_from_outside.c", 1, ControlLog::switches);
  const Observed first = observe(run);
  EXPECT_EQ(first.report.ending, (Ending{EndingKind::exited, 0})) << first.report.text << first.output;
  ControlledRun repeat = runOf("correct/pipe_from_outside.c");
  repeat.plan = planOf(first.report);
  repeat.strict = true;
  repeat.log = ControlLog::switches;
  expectSame(first, observe(repeat));
}

// Of a long run most points are passed unasked, and it is repeated all the same, by who learned and by who was
// told.
TEST_F(ControlledRunTest, LongRunsAreAskedWhereThreadsRace) {
  constexpr uint64_t kRacing = 20; // points of the program, at most
  ControlledRun learning = randomRun("wrong/line_scanner.c", 3, ControlLog::switches);
  learning.noticing = format::Noticing::learning;
  const Observed learned = observe(learning);
  EXPECT_FALSE(learned.report.noticed.empty());
  EXPECT_LT(learned.report.noticed.size(), kRacing);
  ControlledRun told = randomRun("wrong/line_scanner.c", 4, ControlLog::switches);
  told.noticing = format::Noticing::told;
  told.lessons.contended.assign(learned.report.noticed.begin(), learned.report.noticed.end());
  std::sort(told.lessons.contended.begin(), told.lessons.contended.end());
  const Observed asked = observe(told);
  EXPECT_GT(asked.report.points, 100 * asked.report.steps);
  for (const Observed& first : {learned, asked}) {
    ControlledRun repeat = runOf("wrong/line_scanner.c");
    repeat.plan = planOf(first.report);
    repeat.strict = true;
    repeat.log = ControlLog::switches;
    expectSame(first, observe(repeat));
  }
  expectSame(asked, observe(told));
}

// Record cheap, replay rich: the repeat logs everything and is still the same run.
TEST_F(ControlledRunTest, ARepeatCanBeRecorded) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Observed first = observe(randomRun("wrong/lost_update.c", seed, ControlLog::switches));
    ControlledRun repeat = runOf("wrong/lost_update.c");
    repeat.plan = planOf(first.report);
    repeat.strict = true;
    repeat.log = ControlLog::switches;
    repeat.recordTo = directory_.path() / fmt::format("logs-{}", seed);
    expectSame(first, observe(repeat));
    for (const char* file : {"process", "0.path", "0.ops", "3.values"})
      EXPECT_TRUE(std::filesystem::exists(repeat.recordTo / file)) << file;
  }
}

TEST_F(ControlledRunTest, TheSeedRepeatsTheRun) {
  for (uint64_t seed = 1; seed <= 10; ++seed)
    expectSame(observe(randomRun("wrong/lost_update.c", seed, ControlLog::everything)),
               observe(randomRun("wrong/lost_update.c", seed, ControlLog::everything)));
}

TEST_F(ControlledRunTest, FindsTheDeadlockAndSaysWhoWaitsForWhom) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Observed run = observe(randomRun("wrong/ab_ba.c", seed, ControlLog::switches));
    if (run.report.outcome != ControlOutcome::deadlock) continue;
    EXPECT_NE(run.report.text.find("thread 0.1 waits at lock 2 for a mutex of thread 0.2"), std::string::npos)
        << run.report.text;
    EXPECT_NE(run.report.text.find("thread 0.2 waits at lock 2 for a mutex of thread 0.1"), std::string::npos);
    return;
  }
  FAIL() << "no deadlock in 100 runs";
}

TEST_F(ControlledRunTest, EditedSchedulesDivergeAndNeverHang) {
  const Observed first = observe(randomRun("wrong/lost_update.c", 7, ControlLog::switches));
  ControlledRun edited = runOf("wrong/lost_update.c");
  edited.strict = true;
  size_t diverged = 0, runs = 0;
  for (size_t at = 0; at < first.report.log.size(); at += 5, ++runs) {
    edited.plan = planOf(first.report);
    format::ControlEntry& entry = edited.plan.entries[at];
    switch (runs % 4) {
    case 0: entry.index += 1; break;
    case 1:
      entry.kind = entry.kind == uint8_t(EventKind::lock) ? uint8_t(EventKind::join) : uint8_t(EventKind::lock);
      break;
    case 2: entry.thread = (entry.thread + 1) % uint32_t(edited.plan.threads.size()); break;
    case 3: edited.plan.entries.resize(at); break;
    }
    const Observed run = observe(edited);
    EXPECT_FALSE(run.report.stuck) << run.report.text;
    EXPECT_NE(run.report.ending.kind, EndingKind::timedOut);
    if (run.report.outcome != ControlOutcome::diverged) continue;
    ++diverged;
    EXPECT_NE(run.report.text.find("schedule"), std::string::npos) << run.report.text;
  }
  EXPECT_GE(diverged + 2, runs); // an empty schedule, and a harmless change or two
}

TEST_F(ControlledRunTest, SaysWhichEventCameInstead) {
  const Observed first = observe(randomRun("wrong/lost_update.c", 7, ControlLog::everything));
  ControlledRun edited = runOf("wrong/lost_update.c");
  edited.plan = planOf(first.report);
  edited.plan.entries[1].kind = uint8_t(EventKind::lock);
  const Observed run = observe(edited);
  EXPECT_EQ(run.report.outcome, ControlOutcome::diverged);
  EXPECT_EQ(
      run.report.text,
      fmt::format(
          "schedule entry 2 of {}: expected thread 0 to lock (event 1), but it stands before alloc (event 1)",
          edited.plan.entries.size()));
}

TEST_F(ControlledRunTest, NoticesThatACrashDidNotCome) {
  ControlledRun run = runOf("wrong/lost_update.c");
  run.plan.threads = {{0, 0}};
  run.plan.entries.push_back({0, uint8_t(EventKind::failure), format::EntryType::crash, 0, 1, 0, 0, 0});
  const Observed observed = observe(run);
  EXPECT_EQ(observed.report.outcome, ControlOutcome::diverged);
  EXPECT_EQ(observed.report.text,
            "schedule entry 1 of 1: expected thread 0 to crash before event 1, but it stands "
            "before alloc (event 1)");
}

} // namespace
} // namespace symbiosis
