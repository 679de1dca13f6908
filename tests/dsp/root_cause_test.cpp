#include "dsp/diagnosis.h"
#include "tests/dsp/example_traces.h"
#include <gmock/gmock.h>

namespace symbiosis {

using ::testing::ElementsAre;
using testing::Example;

static RootCause rootCauseOf(const Example& example) {
  ScheduleSolver solver(example.trace);
  return findRootCause(example.trace, solver, example.failing);
}

TEST(RootCause, OfTheRunningExampleIsOneOrdering) {
  const Example example = testing::runningExample();
  const RootCause cause = rootCauseOf(example);
  EXPECT_EQ(cause.status, ProofStatus::proved);
  EXPECT_THAT(cause.orders,
              ElementsAre(OrderEdge{example.at(1, EventKind::write, 20), example.at(2, EventKind::read, 19)}));
}

TEST(RootCause, IsEmptyIfEveryScheduleFails) {
  const RootCause cause = rootCauseOf(testing::alwaysFails());
  EXPECT_EQ(cause.status, ProofStatus::proved);
  EXPECT_TRUE(cause.orders.empty());
}

TEST(RootCause, IsOnlyTestedIfAnExternalMayHaveWritten) {
  Example example = testing::bank();
  example.trace.unmodelled = {"strange_library_call"};
  const RootCause cause = rootCauseOf(example);
  EXPECT_EQ(cause.status, ProofStatus::tested);
  EXPECT_THAT(cause.note, ::testing::HasSubstr("strange_library_call"));
}

TEST(RootCause, IsUnknownWithTheReasonIfTheSolverHasNoTime) {
  const Example example = testing::runningExample();
  ScheduleSolver solver(example.trace, {.seconds = 0, .memoryGb = 1});
  const RootCause cause = findRootCause(example.trace, solver, example.failing);
  EXPECT_EQ(cause.status, ProofStatus::unknown);
  EXPECT_FALSE(cause.note.empty());
  EXPECT_FALSE(cause.orders.empty()) << "all candidate edges together do force the failure";
}

} // namespace symbiosis
