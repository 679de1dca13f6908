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
    phases_.failing = example_.failing;
    phases_.originalSwitches = 7;
    phases_.causes = {findRootCause(example_.trace, solver, example_.failing)};
    phases_.alternates = {findAlternate(example_.trace, solver, example_.failing, phases_.causes->front())};
    phases_.certificate = Certificate{{3, 3}, {4, 4, 3, 1, 0}, "note"};
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
  EXPECT_EQ(back.failing, phases_.failing);
  EXPECT_EQ(back.originalSwitches, 7u);
  ASSERT_TRUE(back.causes && back.alternates && back.certificate);
  EXPECT_EQ(back.causes->front().orders, phases_.causes->front().orders);
  EXPECT_EQ(back.causes->front().status, phases_.causes->front().status);
  EXPECT_EQ(back.alternates->front().order, phases_.alternates->front().order);
  EXPECT_EQ(back.alternates->front().inverted, phases_.alternates->front().inverted);
  EXPECT_EQ(back.certificate->alternate.failedLater, 1u);
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
  wrong.failing = phases_.alternates->front().order;
  ASSERT_TRUE(savePhases(file_, "key", wrong));
  EXPECT_FALSE(load().failing);
  wrong = phases_;
  wrong.alternates->front().order = example_.failing;
  ASSERT_TRUE(savePhases(file_, "key", wrong));
  EXPECT_FALSE(load().failing);
}

TEST_F(SavedPhasesTest, OnesThatAreNotFinishedAreCompletedLater) {
  phases_.alternates.reset();
  phases_.certificate.reset();
  ASSERT_TRUE(savePhases(file_, "key", phases_));
  const SavedPhases back = load();
  EXPECT_TRUE(back.failing && back.causes);
  EXPECT_FALSE(back.alternates);
}

} // namespace
} // namespace symbiosis
