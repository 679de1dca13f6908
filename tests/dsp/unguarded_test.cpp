#include "dsp/unguarded.h"
#include "tests/trace_builder.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using testing::TraceBuilder;

// T1 counts under a lock and T2 as each test has it; the main thread joins both and checks the count.
struct Counting {
  TraceBuilder b{3};

  void add(ThreadIndex thread, uint32_t line) {
    const ExprId before = b.read(thread, "count", line);
    b.write(thread, "count", b.trace.exprs.binary(ExprOp::add, before, b.constant(1)), line);
  }
  Counting() {
    b.variable("count", 0);
    b.start(0), b.fork(0, 1, 1), b.fork(0, 2, 2);
    b.start(1), b.lock(1, "m", 10), add(1, 11), b.unlock(1, "m", 12), b.exit(1);
    b.start(2);
  }
  SymbolicTrace checked() {
    b.exit(2);
    b.join(0, 1, 3), b.join(0, 2, 4);
    const ExprId count = b.read(0, "count", 5);
    b.failure(0, {b.trace.exprs.binary(ExprOp::ult, count, b.constant(2))}, 5);
    return b.build();
  }
};

// The threads one after the other, the main thread's joins last.
EventOrder inOrder(const SymbolicTrace& trace, std::vector<ThreadIndex> threads) {
  EventOrder order;
  const TraceThread& main = trace.threads[0];
  for (EventRef ref = 0; ref < 3; ++ref) order.push_back(main.firstEvent + ref);
  for (ThreadIndex thread : threads)
    for (EventRef ref = 0; ref < trace.threads[thread].eventCount; ++ref)
      order.push_back(trace.threads[thread].firstEvent + ref);
  for (EventRef ref = 3; ref < main.eventCount; ++ref) order.push_back(main.firstEvent + ref);
  return order;
}

uint32_t lineOf(const SymbolicTrace& trace, EventRef event) {
  return trace.locations[trace.event(event).location].line;
}

TEST(Unguarded, IsWhoUsesTheMemoryWithoutTheLockOfTheOthers) {
  Counting counting;
  counting.add(2, 21);
  const SymbolicTrace trace = counting.checked();
  const auto found = findUnguarded(trace, inOrder(trace, {1, 2}));
  ASSERT_TRUE(found);
  EXPECT_EQ(lineOf(trace, found->bare), 21u);
  EXPECT_EQ(lineOf(trace, found->guarded), 11u);
  EXPECT_EQ(trace.event(found->lock).variable, "m");
}

TEST(Unguarded, IsNobodyWhereAllHoldTheLock) {
  Counting counting;
  counting.b.lock(2, "m", 20), counting.add(2, 21), counting.b.unlock(2, "m", 22);
  const SymbolicTrace trace = counting.checked();
  EXPECT_FALSE(findUnguarded(trace, inOrder(trace, {1, 2})));
}

// The main thread reads the count without the lock, but after both have ended.
TEST(Unguarded, IsNobodyWhoComesAfterAJoin) {
  Counting counting;
  const SymbolicTrace trace = counting.checked();
  EXPECT_FALSE(findUnguarded(trace, inOrder(trace, {1, 2})));
}

// T2 takes the lock once and then has the memory for itself: handed over.
TEST(Unguarded, IsNobodyToWhomItWasHandedOver) {
  Counting counting;
  counting.b.lock(2, "m", 20), counting.b.unlock(2, "m", 21), counting.add(2, 22);
  const SymbolicTrace trace = counting.checked();
  EXPECT_FALSE(findUnguarded(trace, inOrder(trace, {1, 2})));
  // The other way round nothing was handed over: T2 counts when T1 has not begun.
  EXPECT_TRUE(findUnguarded(trace, inOrder(trace, {2, 1})));
}

TEST(Unguarded, IsNobodyWhoChangesItAtomically) {
  Counting counting;
  counting.b.rmw(
      2, "count",
      [&](ExprId before) { return counting.b.trace.exprs.binary(ExprOp::add, before, counting.b.constant(1)); }, 21);
  const SymbolicTrace trace = counting.checked();
  EXPECT_FALSE(findUnguarded(trace, inOrder(trace, {1, 2})));
}

// The check is about something else.
TEST(Unguarded, IsNobodyWhoseMemoryTheFailureDoesNotDependOn) {
  Counting counting;
  counting.add(2, 21);
  counting.b.exit(2);
  counting.b.variable("other", 0);
  counting.b.join(0, 1, 3), counting.b.join(0, 2, 4);
  const ExprId other = counting.b.read(0, "other", 5);
  counting.b.failure(0, {counting.b.trace.exprs.binary(ExprOp::ult, other, counting.b.constant(2))}, 5);
  const SymbolicTrace trace = counting.b.build();
  EXPECT_FALSE(findUnguarded(trace, inOrder(trace, {1, 2})));
}

// In the place of an order, and not a second time.
TEST(Unguarded, IsSaidInTheHintOnce) {
  Counting counting;
  counting.add(2, 21);
  const SymbolicTrace trace = counting.checked();
  Classification classification;
  classification.bugClass = BugClass::orderViolation;
  classification.hint = "Make T2's line 21 wait for T1's line 11.";
  sayForgottenLock(trace, inOrder(trace, {1, 2}), classification);
  EXPECT_EQ(classification.hint, "T2 writes count (line 21) without m, which T1 holds when it writes it (line 11): "
                                 "hold m there, too.");
  const std::string once = classification.hint;
  sayForgottenLock(trace, inOrder(trace, {1, 2}), classification);
  EXPECT_EQ(classification.hint, once);
}

} // namespace
} // namespace symbiosis
