// What is said when the solver gives up. Only with the brute-force solver, which obeys a limit of zero to the
// letter; the real one answers questions of this size before it looks at the clock.
#include "dsp/diagnosis.h"
#include "tests/dsp/example_traces.h"
#include <gtest/gtest.h>

namespace symbiosis {

using testing::Example;

TEST(RootCause, IsUnknownWithTheReasonIfTheSolverHasNoTime) {
  const Example example = testing::runningExample();
  ScheduleSolver solver(example.trace, {.seconds = 0, .memoryGb = 1});
  const RootCause cause = findRootCause(example.trace, solver, example.failing);
  EXPECT_EQ(cause.status, ProofStatus::unknown);
  EXPECT_FALSE(cause.note.empty());
  EXPECT_FALSE(cause.orders.empty()) << "all candidate edges together do force the failure";
}

TEST(Alternate, IsNotSaidToBeAbsentIfTheSolverHasNoTime) {
  const Example example = testing::alwaysFails();
  ScheduleSolver solver(example.trace, {.seconds = 0, .memoryGb = 1});
  const Alternate alternate = findAlternate(example.trace, solver, example.failing, {});
  EXPECT_EQ(alternate.status, AlternateStatus::unknown);
  EXPECT_FALSE(alternate.note.empty());
}

} // namespace symbiosis
