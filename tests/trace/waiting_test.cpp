// Runs that end because threads wait: what the evaluator calls failing and passing, and who waits for whom.
#include "tests/trace_builder.h"
#include "trace/evaluator.h"
#include "trace/waits.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::TraceBuilder;

Outcome outcome(const SymbolicTrace& trace, const EventOrder& order) {
  return Evaluator(trace).run(order).outcome;
}

// T0: 0 start, 1 fork, 2 fork, 3 join T1 (pending); T1: 4 start, 5 lock a, 6 lock b (pending);
// T2: 7 start, 8 lock b, 9 lock a (pending)
SymbolicTrace crossedLocks(bool joinIsBystander = true) {
  TraceBuilder b(3);
  b.start(0);
  b.fork(0, 1, 1);
  b.fork(0, 2, 2);
  b.join(0, 1, 3);
  b.pending(0, joinIsBystander);
  b.start(1);
  b.lock(1, "a", 10);
  b.lock(1, "b", 11);
  b.pending(1);
  b.start(2);
  b.lock(2, "b", 20);
  b.lock(2, "a", 21);
  b.pending(2);
  return b.build();
}

TEST(Waiting, AllWhoWaitStayWhereTheyAre) {
  const SymbolicTrace trace = crossedLocks();
  EXPECT_EQ(outcome(trace, {0, 1, 2, 4, 5, 7, 8, 6, 9, 3}), Outcome::failing);
  EXPECT_EQ(outcome(trace, {0, 1, 2, 7, 8, 4, 5, 3, 9, 6}), Outcome::failing);
}

TEST(Waiting, PassesAsSoonAsOneGoesOn) {
  const SymbolicTrace trace = crossedLocks();
  Evaluator evaluator(trace);
  EXPECT_EQ(evaluator.run({0, 1, 2, 4, 5, 6, 7, 8, 9, 3}).outcome, Outcome::passing);
  EXPECT_EQ(evaluator.proceeded(), 6u);
  EXPECT_TRUE(evaluator.happened(5));
  EXPECT_FALSE(evaluator.happened(8)) << "nobody knows what follows";
}

TEST(Waiting, StandsBehindEverythingThatHappens) {
  const SymbolicTrace trace = crossedLocks();
  EXPECT_EQ(outcome(trace, {0, 1, 2, 3, 4, 5, 7, 8, 6, 9}), Outcome::infeasible) << "a bystander in between";
  EXPECT_EQ(outcome(trace, {0, 1, 2, 6, 4, 5, 7, 8, 9, 3}), Outcome::infeasible) << "out of program order";
  EXPECT_EQ(outcome(trace, {0, 1, 2, 4, 5, 7, 8, 6, 6, 3}), Outcome::infeasible) << "twice";
}

TEST(Waiting, ASignalBeforeTheWaitIsLost) {
  TraceBuilder b(2);
  b.cell("c", 0, 1, 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.access(0, EventKind::signal, "c", {}, 2);
  b.start(1);
  b.lock(1, "m", 10);
  b.access(1, EventKind::waitBegin, "c", {}, 11);
  b.access(1, EventKind::wake, "c", {}, 11);
  b.pending(1);
  SymbolicTrace trace = b.build();
  for (Event& event : trace.events)
    if (event.kind == EventKind::waitBegin || event.kind == EventKind::wake) event.mutex = trace.events[4].object;
  // T0: 0 start, 1 fork, 2 signal; T1: 3 start, 4 lock, 5 wait-begin, 6 wake (pending)
  EXPECT_EQ(outcome(trace, {0, 1, 2, 3, 4, 5, 6}), Outcome::failing);
  EXPECT_EQ(outcome(trace, {0, 1, 3, 4, 5, 2, 6}), Outcome::passing);
  EXPECT_EQ(outcome(trace, {0, 1, 3, 4, 5, 6, 2}), Outcome::infeasible) << "not woken yet";
}

TEST(Waits, FormACircle) {
  const SymbolicTrace trace = crossedLocks();
  const std::vector<Wait> waits = findWaits(trace);
  ASSERT_EQ(waits.size(), 3u);
  const std::vector<Wait> circle = findCircle(trace, waits);
  ASSERT_EQ(circle.size(), 2u);
  EXPECT_EQ(circle[0].event, 6u);
  EXPECT_EQ(circle[1].event, 9u);
  EXPECT_EQ(toText(trace, circle[0]), "T1 waits for b (test.c:11), held by T2 (test.c:20)");
  EXPECT_EQ(toText(trace, waits[0]), "T0 waits for the end of T1 (test.c:3)");
  EXPECT_TRUE(everybodyWaits(crossedLocks(false)));
}

TEST(Waits, ForItselfIsACircleOfOne) {
  TraceBuilder b(1);
  b.start(0);
  b.lock(0, "m", 1);
  b.lock(0, "m", 2);
  b.pending(0);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 1, 2}), Outcome::failing);
  const std::vector<Wait> circle = findCircle(trace, findWaits(trace));
  ASSERT_EQ(circle.size(), 1u);
  EXPECT_EQ(toText(trace, circle[0]), "T0 waits for m (test.c:2), held by itself (test.c:1)");
}

TEST(Waits, WithoutACircleThereIsNone) {
  TraceBuilder b(2);
  b.start(0);
  b.fork(0, 1, 1);
  b.lock(0, "m", 2);
  b.start(1);
  b.lock(1, "m", 10);
  b.pending(1);
  const SymbolicTrace trace = b.build();
  EXPECT_THAT(findCircle(trace, findWaits(trace)), ::testing::IsEmpty());
  EXPECT_FALSE(everybodyWaits(trace)) << "T0 has not ended";
}

} // namespace
} // namespace symbiosis
