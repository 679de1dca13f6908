// The whole diagnosis of a recorded run, as whoever calls it from a program sees it.
#include "dsp/diagnose.h"
#include "tests/replay/explored_failure.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes the stages that were computed, and what was said to be run.
class Notes : public Observer {
public:
  void begins(Stage stage) override { begun.push_back(stage); }
  void goesOnFromSaved() override { wentOn = true; }
  void willRun(Stage stage, size_t, size_t runs) override { announced.push_back({stage, runs}); }
  void runs(Stage, size_t, size_t) override { ++made; }

  std::vector<Stage> begun;
  bool wentOn = false;
  std::vector<std::pair<Stage, size_t>> announced;
  size_t made = 0;
};

class DiagnoseTest : public testing::ExploredFailure {
protected:
  Diagnosis diagnosed(const Recording& recording, const DiagnoseOptions& options, Notes& notes) {
    Result<DiagnosedRun> run = diagnose(recording, options, notes);
    EXPECT_TRUE(run) << run.error().message;
    return run ? run->diagnosis : Diagnosis{};
  }
};

TEST_P(DiagnoseTest, GoesThroughItsStagesOnce) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  DiagnoseOptions options;
  options.replays = 2;
  Notes first, second, third;
  const Diagnosis found = diagnosed(recording, options, first);
  EXPECT_THAT(first.begun,
              ElementsAre(Stage::symbolicTrace, Stage::failingSchedule, Stage::rootCause, Stage::alternate));
  EXPECT_FALSE(first.wentOn);
  // Two of the failing schedule, at most fifty continuations of the alternate, one that is recorded and two
  // replays of it.
  EXPECT_THAT(first.announced, ElementsAre(std::pair(Stage::certificate, size_t{55})));
  EXPECT_EQ(first.made, 7u);
  EXPECT_EQ(found.rootCause.status, ProofStatus::proved);
  EXPECT_TRUE(found.certificate.complete());
  EXPECT_GT(found.stats.seconds.total, found.stats.seconds.rootCause);

  const Diagnosis again = diagnosed(recording, options, second);
  EXPECT_THAT(second.begun, ElementsAre(Stage::symbolicTrace));
  EXPECT_TRUE(second.wentOn);
  EXPECT_THAT(second.announced, IsEmpty());
  EXPECT_EQ(again.failing, found.failing);
  EXPECT_EQ(again.rootCause.orders, found.rootCause.orders);
  EXPECT_EQ(again.alternate.order, found.alternate.order);
  EXPECT_EQ(again.dsp.failingEvents, found.dsp.failingEvents);
  EXPECT_EQ(again.classification.headline, found.classification.headline);
  EXPECT_EQ(again.limits, found.limits);

  options.again = true;
  diagnosed(recording, options, third);
  EXPECT_EQ(third.begun, first.begun);
  EXPECT_FALSE(third.wentOn);
}

TEST_P(DiagnoseTest, RunsNothingIfNothingIsToBeReplayed) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  DiagnoseOptions options;
  options.replays = 0;
  Notes notes;
  const Diagnosis found = diagnosed(recording, options, notes);
  EXPECT_THAT(notes.announced, IsEmpty());
  EXPECT_EQ(notes.made, 0u);
  EXPECT_FALSE(found.certificate.complete());
}

INSTANTIATE_TEST_SUITE_P(Programs, DiagnoseTest, ::testing::Values("lost_update.c", "ab_ba.c"),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

// The trace stays what it was: which wait the report shows is said by the projection.
class WaitingRun : public testing::ExploredFailure {};
TEST_P(WaitingRun, IsShownAtTheWaitThatEndsInTheAlternate) {
  Recording recording;
  ASSERT_NO_FATAL_FAILURE(record(recording));
  DiagnoseOptions options;
  options.replays = 0;
  Observer unobserved;
  Result<DiagnosedRun> run = diagnose(recording, options, unobserved);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->diagnosis.alternate.status, AlternateStatus::found);
  const EventRef proceeds = run->diagnosis.dsp.proceeds;
  ASSERT_NE(proceeds, kNoEvent);
  EXPECT_TRUE(run->trace.event(proceeds).pending);
  const ShownFailure shown = shownFailure(run->trace, run->diagnosis.dsp);
  EXPECT_EQ(shown.event, proceeds);
  EXPECT_EQ(shown.location, run->trace.event(proceeds).location);
  EXPECT_EQ(shownFailure(run->trace, Dsp{}).event, run->trace.failure.event);
}
INSTANTIATE_TEST_SUITE_P(Programs, WaitingRun, ::testing::Values("ab_ba.c"),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
