// Merging of segments: what SimTrace promises, on random traces and on its own example.
#include "all_interleavings.h"
#include "constraints/dependence_graph.h"
#include "random_trace.h"
#include "tests/trace_builder.h"
#include "trace/evaluated_schedule.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

// Theorem 1: every read takes its value from the same write, and the outcome is the same.
void expectEquivalent(const SymbolicTrace& trace, const EventOrder& order, const EventOrder& merged) {
  const EvaluatedSchedule before(trace, order), after(trace, merged);
  ASSERT_EQ(before.outcome(), after.outcome());
  for (uint32_t part = 0; part < trace.parts.size(); ++part) ASSERT_EQ(before.source(part), after.source(part));
  for (uint32_t cell = 0; cell < trace.cells.size(); ++cell)
    ASSERT_EQ(before.lastWrite(cell), after.lastWrite(cell));
  EXPECT_LE(contextSwitches(trace, merged), contextSwitches(trace, order));
}

TEST(DependenceGraph, MergedSchedulesAreEquivalent) {
  size_t merged = 0, schedules = 0;
  for (testing::Ends ends : {testing::Ends::failing, testing::Ends::waiting})
    for (unsigned seed = 0; seed < 1500; ++seed) {
      std::mt19937 random(seed);
      const SymbolicTrace trace = testing::randomTrace(random, 12, testing::Sync::all, ends);
      const EventOrder order = testing::randomInterleaving(trace, random);
      if (order.size() != trace.events.size() || Evaluator(trace).run(order).outcome == Outcome::infeasible)
        continue;
      ++schedules;
      const EventOrder found = mergeSegments(trace, order);
      expectEquivalent(trace, order, found);
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
      merged += contextSwitches(trace, found) < contextSwitches(trace, order);
    }
  EXPECT_GT(schedules, 500u);
  EXPECT_GT(merged, schedules / 4);
}

// What no order of pairs can improve on: the fewest switches of all schedules with the same dataflow and order of
// operations are known by brute force on tiny traces.
TEST(DependenceGraph, IsNearTheFewestSwitchesOfEquivalentSchedules) {
  size_t schedules = 0, reduced = 0, optimum = 0;
  for (unsigned seed = 0; schedules < 300; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random);
    const auto all = testing::allInterleavings(trace, 4000);
    if (!all || all->empty()) continue;
    const testing::Interleaving& some = (*all)[random() % all->size()];
    if (some.outcome != Outcome::failing) continue;
    const std::vector<OrderEdge> edges = candidateEdges(trace, some.order);
    size_t fewest = SIZE_MAX;
    for (const testing::Interleaving& one : *all)
      if (one.outcome == some.outcome && one.respects(edges))
        fewest = std::min(fewest, contextSwitches(trace, one.order));
    ++schedules;
    reduced += contextSwitches(trace, mergeSegments(trace, some.order));
    optimum += fewest;
  }
  EXPECT_LE(double(reduced), 1.02 * double(optimum));
}

// SimTrace's Fig. 1: a1 → b2, c1 → b2, b1 → a2, b1 → c2. To merge b1 and b2 first costs four switches; three are
// enough.
TEST(DependenceGraph, FindsTheOptimumOfThePapersFigure1) {
  testing::TraceBuilder b(4);
  for (const char* name : {"x", "y", "z"}) b.variable(name, 0);
  b.start(0);
  for (ThreadIndex thread : {1u, 2u, 3u}) b.fork(0, thread, 1);
  for (ThreadIndex thread : {1u, 2u, 3u}) b.start(thread);
  b.write(1, "x", b.constant(1), 1); // a1
  b.read(1, "z", 2);                 // a2
  b.write(2, "z", b.constant(1), 3); // b1
  b.read(2, "x", 4);                 // b2
  b.read(2, "y", 4);
  b.write(3, "y", b.constant(1), 5); // c1
  b.read(3, "z", 6);                 // c2
  const SymbolicTrace trace = [&] {
    b.failure(2, {}, 7);
    return b.build();
  }();
  const auto at = [&](ThreadIndex thread, uint32_t i) { return trace.threads[thread].firstEvent + i; };
  // a1, c1, b1, c2, a2, b2 behind the forks.
  const EventOrder order{at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(1, 0), at(1, 1), at(3, 0), at(3, 1),
                         at(2, 0), at(2, 1), at(3, 2), at(1, 2), at(2, 2), at(2, 3), at(2, 4)};
  const EventOrder merged = mergeSegments(trace, order);
  expectEquivalent(trace, order, merged);
  EXPECT_EQ(contextSwitches(trace, merged), 1u + 3u); // one to leave the main thread
}

} // namespace
} // namespace symbiosis
