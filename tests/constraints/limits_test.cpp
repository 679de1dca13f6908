// A limit ends in `unknown` with a reason and never in an exception. How soon is measured in bench/solver; that
// everything asks the watch is tested in engines_test.cpp.
#include "constraints/schedule_solver.h"
#include "lost_updates.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using ::testing::HasSubstr;
using testing::lostUpdates;

void expectStopped(const SymbolicTrace& trace, SolverLimits limits, const char* reason,
                   Engines engines = Engines::all) {
  const ScheduleAnswer answer =
      ScheduleSolver(trace, {.limits = limits, .encoding = Encoding::order, .engines = engines}).failing();
  EXPECT_EQ(answer.answer, Answer::unknown);
  EXPECT_THAT(answer.reason, HasSubstr(reason));
}

TEST(Limits, TheTimeLimitStopsTheSearch) {
  expectStopped(lostUpdates(6, 8, 1), {.seconds = 1, .memoryGb = 8}, "time limit of 1 s");
}

TEST(Limits, UnknownSaysWhatWasTried) {
  expectStopped(lostUpdates(6, 8, 1), {.seconds = 0.5, .memoryGb = 8}, "tried: searches from the front");
}

TEST(Limits, TheTimeLimitStopsTheEncoding) {
  expectStopped(lostUpdates(8, 100, 1), {.seconds = 0.2, .memoryGb = 8}, "time limit of 0.2 s", Engines::solver);
}

TEST(Limits, TheMemoryLimitStopsTheEncoding) {
  expectStopped(lostUpdates(8, 100, 1), {.seconds = 60, .memoryGb = 0.05}, "memory limit of 0.05 GB",
                Engines::solver);
}

TEST(Limits, TheMemoryLimitStopsTheSearch) {
  expectStopped(lostUpdates(6, 8, 1), {.seconds = 60, .memoryGb = 0.001}, "memory limit of 0.001 GB",
                Engines::search);
}

TEST(Limits, ASolverStaysUsableAfterALimit) {
  const SymbolicTrace trace = lostUpdates(5, 6, 1);
  ScheduleSolver solver(trace, {.seconds = 1, .memoryGb = 8});
  ASSERT_EQ(solver.failing().answer, Answer::unknown);
  // Nobody before anybody: a contradiction that needs no search.
  const std::vector<OrderEdge> circle{{trace.threads[1].firstEvent + 1, trace.threads[2].firstEvent + 1},
                                      {trace.threads[2].firstEvent + 2, trace.threads[1].firstEvent}};
  const ScheduleAnswer answer = solver.passing(circle);
  EXPECT_EQ(answer.answer, Answer::unsat) << answer.reason;
  EXPECT_THAT(answer.core, ::testing::ElementsAre(0, 1));
}

} // namespace
} // namespace symbiosis
