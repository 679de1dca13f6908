#include "dsp/saved_phases.h"
#include "support/files.h"
#include "tests/dsp/example_traces.h"
#include "tests/support/temporary_directory.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

class SavedPhasesTest : public ::testing::Test {
protected:
  SavedPhasesTest() {
    ScheduleSolver solver(example_.trace);
    Observer unobserved;
    phases_.failing.emplace().order = example_.failing;
    phases_.failing->originalSwitches = 7;
    phases_.failing->limits = {"a limit"};
    phases_.explanation = explain(example_.trace, solver, example_.failing, {}, unobserved);
    phases_.certificate = Certificate{{3, 3}, {4, 4, 3, 1, 0}, {2, 1}, "note"};
  }
  SavedPhases load(const std::string& key = "key") { return loadPhases(file_, key, example_.trace); }

  const testing::Example example_ = testing::bank();
  testing::TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "phases.json";
  SavedPhases phases_;
};

TEST_F(SavedPhasesTest, ComeBackAsTheyWere) {
  ASSERT_TRUE(savePhases(file_, "key", phases_));
  const SavedPhases back = load();
  ASSERT_TRUE(back.failing && back.explanation && back.certificate);
  EXPECT_EQ(back.failing->order, phases_.failing->order);
  EXPECT_EQ(back.failing->originalSwitches, 7u);
  EXPECT_EQ(back.failing->limits, phases_.failing->limits);
  const Explanation &then = *phases_.explanation, &now = *back.explanation;
  EXPECT_EQ(now.failing, then.failing);
  EXPECT_EQ(now.hasAllCauses, then.hasAllCauses);
  EXPECT_EQ(now.causes.front().orders, then.causes.front().orders);
  EXPECT_EQ(now.causes.front().status, then.causes.front().status);
  EXPECT_EQ(now.alternates.front().order, then.alternates.front().order);
  EXPECT_EQ(now.alternates.front().inverted, then.alternates.front().inverted);
  EXPECT_EQ(back.certificate->alternate.failedLater, 1u);
  EXPECT_EQ(back.certificate->whole.runs, 2u);
  EXPECT_EQ(back.certificate->whole.repeated, 1u);
}

TEST_F(SavedPhasesTest, OfAnotherTraceOrOtherOptionsAreNotTaken) {
  ASSERT_TRUE(savePhases(file_, "key", phases_));
  EXPECT_FALSE(load("other").failing);
}

TEST_F(SavedPhasesTest, ThatAreTruncatedOrWrongAreNotTaken) {
  ASSERT_TRUE(savePhases(file_, "key", phases_));
  const std::string text = *readFile(file_);
  for (size_t length = 0; length < text.size(); length += 7) {
    ASSERT_TRUE(writeFileAtomically(file_, text.substr(0, length)));
    EXPECT_FALSE(load().failing) << length;
  }
  // A schedule that does not do what it is said to.
  SavedPhases wrong = phases_;
  wrong.failing->order = phases_.explanation->alternates.front().order;
  ASSERT_TRUE(savePhases(file_, "key", wrong));
  EXPECT_FALSE(load().failing);
  wrong = phases_;
  wrong.explanation->alternates.front().order = example_.failing;
  ASSERT_TRUE(savePhases(file_, "key", wrong));
  EXPECT_FALSE(load().failing);
}

TEST_F(SavedPhasesTest, OnesThatAreNotFinishedAreCompletedLater) {
  phases_.explanation.reset();
  phases_.certificate.reset();
  ASSERT_TRUE(savePhases(file_, "key", phases_));
  const SavedPhases back = load();
  EXPECT_TRUE(back.failing);
  EXPECT_FALSE(back.explanation);
}

TEST_F(SavedPhasesTest, AStageIsComputedOnce) {
  for (int time = 0; time < 2; ++time) {
    StageCache stages(file_, "key", example_.trace, true);
    EXPECT_EQ(stages.hasFound(), time == 1);
    bool computed = false;
    Result<FailingSchedule> failing = stages.cached(&SavedPhases::failing, [&] {
      computed = true;
      return *phases_.failing;
    });
    ASSERT_TRUE(failing);
    EXPECT_EQ(failing->order, example_.failing);
    EXPECT_EQ(computed, time == 0);
  }
  EXPECT_FALSE(StageCache(file_, "key", example_.trace, false).hasFound());
}

// … and what rests on it is not kept either.
TEST_F(SavedPhasesTest, AStageThatGaveUpIsNotKept) {
  StageCache stages(file_, "key", example_.trace, true);
  ASSERT_TRUE(stages.cached(&SavedPhases::failing, [&] { return *phases_.failing; }));
  phases_.explanation->alternates.front().status = AlternateStatus::unknown;
  ASSERT_TRUE(stages.cached(&SavedPhases::explanation, [&] { return *phases_.explanation; }));
  phases_.certificate->whole = {2, 2};
  ASSERT_TRUE(phases_.certificate->complete());
  ASSERT_TRUE(stages.cached(&SavedPhases::certificate, [&] { return *phases_.certificate; }));
  const SavedPhases back = load();
  EXPECT_TRUE(back.failing);
  EXPECT_FALSE(back.explanation);
  EXPECT_FALSE(back.certificate);
}

TEST_F(SavedPhasesTest, AnErrorOfAStageIsItsOwn) {
  StageCache stages(file_, "key", example_.trace, true);
  Result<FailingSchedule> failing =
      stages.cached(&SavedPhases::failing, []() -> Result<FailingSchedule> { return gaveUp("why"); });
  ASSERT_FALSE(failing);
  EXPECT_EQ(failing.error().message, "why");
  EXPECT_FALSE(std::filesystem::exists(file_));
}

} // namespace
} // namespace symbiosis
