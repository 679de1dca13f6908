#include "dsp/diagnosis.h"
#include "dsp/wording.h"
#include "tests/dsp/example_traces.h"
#include <gmock/gmock.h>

namespace symbiosis {

using testing::Example;

static Classification classificationOf(const Example& example) {
  ScheduleSolver solver(example.trace);
  const RootCause cause = findRootCause(example.trace, solver, example.failing);
  const Alternate alternate = findAlternate(example.trace, solver, example.failing, cause);
  const Dsp dsp = project(example.trace, example.failing, cause, alternate);
  const Classification result = classify(example.trace, example.failing, cause, alternate, dsp);
  EXPECT_LE(characters(result.headline), 115u) << result.headline;
  return result;
}

TEST(Classify, TheRunningExampleIsAnAtomicityViolation) {
  const Example example = testing::runningExample();
  const Classification c = classificationOf(example);
  EXPECT_EQ(c.bugClass, BugClass::atomicityViolation);
  EXPECT_EQ(c.variable, "filled");
  EXPECT_EQ(c.headline,
            "T2 sees filled = 1 (line 10), then T1 sets it to 0 (line 20), so T2's assert (line 19) reads 0.");
  EXPECT_EQ(c.hint,
            "Make T2's lines 10–19 one atomic region: hold m from line 10 to line 19 without releasing it in "
            "between.");
  ASSERT_TRUE(c.region);
  EXPECT_EQ(c.region->first, example.at(2, EventKind::read, 10));
  EXPECT_EQ(c.region->last, example.at(2, EventKind::read, 19));
  EXPECT_THAT(c.region->intruders, ::testing::ElementsAre(example.at(1, EventKind::write, 20)));
}

TEST(Classify, TheBankIsALostUpdate) {
  const Example example = testing::bank();
  const Classification c = classificationOf(example);
  EXPECT_EQ(c.bugClass, BugClass::lostUpdate);
  EXPECT_EQ(c.variable, "BankTotal");
  ASSERT_TRUE(c.region);
  EXPECT_EQ(c.region->first, example.at(1, EventKind::read, 4));
  EXPECT_EQ(c.region->last, example.at(1, EventKind::write, 5));
  EXPECT_EQ(c.headline, "T2's BankTotal = 10 (line 5) is lost: T1 read 0 (line 4), then writes 10 (line 5); "
                        "T0's assert (line 13) reads 10.");
}

TEST(Classify, AUseBeforeInitialisationIsAnOrderViolation) {
  const Classification c = classificationOf(testing::useBeforeInit());
  EXPECT_EQ(c.bugClass, BugClass::orderViolation);
  EXPECT_EQ(c.headline,
            "T1 reads ready = 0 (line 7) before T0 sets it to 1 (line 21), so T1's assert (line 7) reads 0.");
  EXPECT_EQ(c.hint, "Make T1's line 7 wait for T0's line 21.");
}

TEST(Classify, ACreatorThatDoesNotWaitIsAnOrderViolation) {
  const Classification c = classificationOf(testing::tearDown());
  EXPECT_EQ(c.bugClass, BugClass::orderViolation);
  EXPECT_EQ(c.hint, "Make T0's line 21 wait for T1's line 8.");
}

TEST(Classify, TwoVariablesThatChangeTogether) {
  const Example example = testing::twoVariables();
  const Classification c = classificationOf(example);
  EXPECT_EQ(c.bugClass, BugClass::multiVariable);
  ASSERT_TRUE(c.region);
  EXPECT_EQ(c.region->first, example.at(1, EventKind::read, 5));
  EXPECT_EQ(c.region->last, example.at(1, EventKind::read, 6));
  EXPECT_EQ(c.headline, "T1 sees a = 50 (line 5) and b = 60 (line 6), but T2 changes both (lines 12–13), so T1's "
                        "assert (line 7) fails.");
}

TEST(Classify, WithoutAlternateSaysSo) {
  const Classification c = classificationOf(testing::alwaysFails());
  EXPECT_EQ(c.bugClass, BugClass::other);
  EXPECT_EQ(c.headline, "T1's assert (line 9) fails: T1 reads x = 0 (line 8) from T0 (line 4).");
  EXPECT_THAT(c.hint, ::testing::HasSubstr("Every schedule of this path fails"));
}

TEST(Classify, LongNamesAreShortenedInTheMiddle) {
  Example example = testing::runningExample();
  for (Event& event : example.trace.events)
    if (event.variable == "filled")
      event.variable = "std::vector<std::unique_ptr<workers::Queue>>::operator[](unsigned long)->filled";
  const Classification c = classificationOf(example);
  EXPECT_THAT(c.headline, ::testing::HasSubstr("…"));
  EXPECT_EQ(c.variable.size(), example.trace.event(1).variable.size()) << "the name itself stays whole";
}

} // namespace symbiosis
