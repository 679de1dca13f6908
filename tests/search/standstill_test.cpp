// Standstills of tiny traces, and how threads come to them.
#include "constraints/schedule_solver.h"
#include "search/standstill_states.h"
#include "tests/trace_builder.h"
#include "trace/cut.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

constexpr size_t kStates = 100000;
constexpr auto kNoDeadline = std::chrono::steady_clock::time_point::max();

// Two threads that take two locks; in the same order, or not.
SymbolicTrace twoLocks(bool sameOrder) {
  testing::TraceBuilder b(3);
  b.start(0);
  b.fork(0, 1, 1);
  b.fork(0, 2, 1);
  for (ThreadIndex thread : {1u, 2u}) {
    const char *first = thread == 1 || sameOrder ? "a" : "b", *second = thread == 1 || sameOrder ? "b" : "a";
    b.start(thread);
    b.lock(thread, first, 2);
    b.lock(thread, second, 2);
    b.unlock(thread, second, 3);
    b.unlock(thread, first, 3);
    b.exit(thread);
  }
  b.join(0, 1, 9);
  b.join(0, 2, 9);
  b.exit(0);
  SymbolicTrace trace = b.build();
  trace.failure.kind = FailureKind::none;
  return trace;
}

size_t possibleOf(const SymbolicTrace& trace, const StandstillStates& found) {
  size_t possible = 0;
  for (const std::vector<EventRef>& at : found.states)
    possible += ScheduleSolver(waitingAt(trace, at).trace).failing().answer == Answer::sat;
  return possible;
}

TEST(Standstills, LocksInTwoOrders) {
  const SymbolicTrace trace = twoLocks(false);
  const StandstillStates found = findStandstills(trace, kStates, kNoDeadline);
  EXPECT_TRUE(found.isComplete);
  ASSERT_EQ(found.states.size(), 1);
  EXPECT_EQ(possibleOf(trace, found), 1);
  EXPECT_EQ(trace.event(found.states[0][1]).kind, EventKind::lock);
  EXPECT_EQ(trace.event(found.states[0][0]).kind, EventKind::join);
}

TEST(Standstills, LocksInOneOrder) {
  const StandstillStates found = findStandstills(twoLocks(true), kStates, kNoDeadline);
  EXPECT_TRUE(found.isComplete);
  EXPECT_TRUE(found.states.empty());
}

TEST(Standstills, ALimitIsSaid) { EXPECT_FALSE(findStandstills(twoLocks(true), 3, kNoDeadline).isComplete); }

} // namespace
} // namespace symbiosis
