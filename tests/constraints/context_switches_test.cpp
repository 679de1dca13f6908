// Context-switch reduction against the exhaustive optimum on tiny traces.
#include "all_interleavings.h"
#include "constraints/schedule_solver.h"
#include "random_trace.h"
#include "tests/trace_builder.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::allInterleavings;
using testing::Interleaving;

size_t fewestSwitches(const SymbolicTrace& trace, const std::vector<Interleaving>& all, Outcome outcome) {
  size_t fewest = SIZE_MAX;
  for (const Interleaving& one : all)
    if (one.outcome == outcome) fewest = std::min(fewest, contextSwitches(trace, one.order));
  return fewest;
}

// Long enough to be reduced by windows: increments under a lock, and a lost update that must stay lost.
TEST(ContextSwitches, LongSchedulesKeepTheirOutcome) {
  testing::TraceBuilder b(3);
  b.variable("balance", 0);
  auto deposit = [&](ThreadIndex thread) {
    b.write(thread, "balance", b.trace.exprs.binary(ExprOp::add, b.read(thread, "balance", 4), b.constant(1)), 5);
  };
  b.start(0);
  for (ThreadIndex thread : {1u, 2u}) b.fork(0, thread, 1);
  for (ThreadIndex thread : {1u, 2u}) {
    b.start(thread);
    for (int i = 0; i < 300; ++i) {
      b.lock(thread, "m", 3);
      deposit(thread);
      b.unlock(thread, "m", 6);
      if (i == 150) deposit(thread);
    }
    b.exit(thread);
    b.join(0, thread, 7);
  }
  const ExprId balance = b.read(0, "balance", 8);
  b.failure(0, {b.trace.exprs.negate(b.trace.exprs.binary(ExprOp::eq, balance, b.constant(602)))}, 9);
  const SymbolicTrace trace = b.build();
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const EventOrder order = testing::randomInterleaving(trace, random);
    ASSERT_EQ(order.size(), trace.events.size());
    const EventOrder result = reduceContextSwitches(trace, order);
    EXPECT_EQ(Evaluator(trace).run(result).outcome, Evaluator(trace).run(order).outcome);
    EXPECT_LT(contextSwitches(trace, result), 10u) << "from " << contextSwitches(trace, order);
  }
}

TEST(ContextSwitches, NearTheOptimumOnTinyTraces) {
  constexpr size_t kSchedules = 900, kMostInterleavings = 4000;
  size_t schedules = 0, before = 0, reduced = 0, optimum = 0;
  for (unsigned seed = 0; schedules < kSchedules; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random);
    const auto all = allInterleavings(trace, kMostInterleavings);
    if (!all || all->empty()) continue;
    const Interleaving& some = (*all)[random() % all->size()];
    const EventOrder result = reduceContextSwitches(trace, some.order);
    ASSERT_EQ(Evaluator(trace).run(result).outcome, some.outcome) << "seed " << seed;
    ASSERT_LE(contextSwitches(trace, result), contextSwitches(trace, some.order)) << "seed " << seed;
    ++schedules;
    before += contextSwitches(trace, some.order);
    reduced += contextSwitches(trace, result);
    optimum += fewestSwitches(trace, *all, some.outcome);
  }
  EXPECT_LE(double(reduced), 1.02 * double(optimum)) << "from " << before;
}

} // namespace
} // namespace symbiosis
