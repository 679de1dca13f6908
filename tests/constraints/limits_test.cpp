// A limit ends in `unknown` with a reason, soon, and never in an exception.
#include "constraints/schedule_solver.h"
#include "tests/trace_builder.h"
#include <chrono>
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using ::testing::HasSubstr;
using testing::TraceBuilder;

// Threads that increment one counter without a lock, and a final value that hardly any schedule gives.
SymbolicTrace lostUpdates(size_t threads, size_t increments, uint32_t finalValue) {
  TraceBuilder builder(threads + 1);
  builder.variable("counter", 0);
  builder.start(0);
  for (ThreadIndex t = 1; t <= threads; ++t) builder.fork(0, t, 10);
  for (ThreadIndex t = 1; t <= threads; ++t) {
    builder.start(t);
    for (size_t i = 0; i < increments; ++i) {
      const ExprId value = builder.read(t, "counter", 20);
      builder.write(t, "counter", builder.trace.exprs.binary(ExprOp::add, value, builder.constant(1)), 21);
    }
    builder.exit(t);
    builder.join(0, t, 11);
  }
  const ExprId end = builder.read(0, "counter", 30);
  builder.failure(0, {builder.trace.exprs.binary(ExprOp::eq, end, builder.constant(finalValue))}, 31);
  return builder.build();
}

ScheduleAnswer timedFailing(const SymbolicTrace& trace, const SolverOptions& options, double& seconds) {
  const auto begin = std::chrono::steady_clock::now();
  ScheduleSolver solver(trace, options);
  ScheduleAnswer answer = solver.failing();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

void expectStopped(const SymbolicTrace& trace, SolverLimits limits, const char* reason,
                   Engines engines = Engines::all) {
  double seconds = 0;
  const ScheduleAnswer answer =
      timedFailing(trace, {.limits = limits, .encoding = Encoding::order, .engines = engines}, seconds);
  EXPECT_EQ(answer.answer, Answer::unknown);
  EXPECT_THAT(answer.reason, HasSubstr(reason));
  EXPECT_LT(seconds, 4 * limits.seconds) << "generous, for machines under load";
}

TEST(Limits, TheTimeLimitStopsTheSearch) {
  expectStopped(lostUpdates(6, 8, 1), {.seconds = 1, .memoryGb = 8}, "time limit of 1 s");
}

TEST(Limits, TheTimeLimitStopsTheEncoding) {
  expectStopped(lostUpdates(8, 400, 1), {.seconds = 0.5, .memoryGb = 8}, "time limit of 0.5 s", Engines::solver);
}

TEST(Limits, TheMemoryLimitStopsTheEncoding) {
  expectStopped(lostUpdates(8, 400, 1), {.seconds = 60, .memoryGb = 0.05}, "memory limit of 0.05 GB",
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
