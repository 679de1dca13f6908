// From a native recording to the solver's schedules to the real program: the failing schedule fails every time,
// the alternate gets past the failing check every time.
#include "replay/replay.h"
#include "tests/support/scale.h"
#include "tests/workspace.h"

namespace symbiosis {
namespace {

struct Diagnosed {
  Recording recording;
  Schedule failing, alternate;
};

class SolvedScheduleTest : public ::testing::Test {
protected:
  void diagnose(const std::string& source, Diagnosed& out) {
    ASSERT_STATUS(
        workspace_.symbiosis(fmt::format("cc -g -O1 '{}/{}' -o program -pthread", SYMBIOSIS_SOURCE, source)), 0);
    ASSERT_STATUS(workspace_.symbiosis("profile --runs 5000 ./program"), 0);
    workspace_.symbiosis("diagnose");
    const std::string latest = ".symbiosis/latest/";
    Result<Recording> recording = openRecording(workspace_.root() / latest);
    ASSERT_TRUE(recording) << recording.error().message;
    out.recording = std::move(*recording);
    out.failing = *parseSchedule(workspace_.read(latest + "report/failing.schedule"), "failing");
    out.alternate = *parseSchedule(workspace_.read(latest + "report/alternate.schedule"), "alternate");
  }

  testing::Workspace workspace_;
  const uint64_t times_ = 20 * testing::testScale();
};

TEST_F(SolvedScheduleTest, TheFailingScheduleFailsAndTheAlternatePasses) {
  for (const char* source : {"examples/bank.c", "examples/queue.c"}) {
    Diagnosed diagnosed;
    ASSERT_NO_FATAL_FAILURE(diagnose(source, diagnosed));
    for (uint64_t time = 1; time <= times_; ++time) {
      ReplayOptions options;
      options.seed = time;
      Result<ReplayOutcome> failing = replaySchedule(diagnosed.recording, diagnosed.failing, options);
      ASSERT_TRUE(failing) << failing.error().message;
      EXPECT_EQ(failing->result, ReplayResult::failedAsRecorded) << source << ": " << failing->problem;
      options.expectation = Expectation::passes;
      Result<ReplayOutcome> alternate = replaySchedule(diagnosed.recording, diagnosed.alternate, options);
      ASSERT_TRUE(alternate) << alternate.error().message;
      EXPECT_TRUE(alternate->passedFailurePoint) << source << ": " << alternate->problem;
      EXPECT_NE(alternate->result, ReplayResult::diverged) << source << ": " << alternate->problem;
    }
  }
}

TEST_F(SolvedScheduleTest, SchedulesThatDoNotFitAreRefusedOrDiverge) {
  Diagnosed diagnosed;
  ASSERT_NO_FATAL_FAILURE(diagnose("examples/bank.c", diagnosed));
  Schedule foreign = diagnosed.failing;
  foreign.program = std::string(32, '0');
  Result<ReplayOutcome> refused = replaySchedule(diagnosed.recording, foreign, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::badInput);

  Schedule swapped = diagnosed.failing;
  std::swap(swapped.entries[1], swapped.entries[3]);
  Result<ReplayOutcome> diverged = replaySchedule(diagnosed.recording, swapped, {});
  ASSERT_TRUE(diverged);
  EXPECT_EQ(diverged->result, ReplayResult::diverged);
  EXPECT_FALSE(diverged->problem.empty());

  // The alternate does not fail where it is said to.
  Result<ReplayOutcome> passed = replaySchedule(diagnosed.recording, diagnosed.alternate, {});
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->result, ReplayResult::diverged) << toText(passed->result);
}

} // namespace
} // namespace symbiosis
