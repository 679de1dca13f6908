// The evaluator is the definition of what a schedule does; each rule has a test that it lets through and one that
// it stops, with the reason.
#include "tests/trace/orders.h"
#include "tests/trace_builder.h"
#include "trace/evaluator.h"
#include "trace/switches.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using testing::byThreads;
using ::testing::HasSubstr;
using testing::TraceBuilder;

// What the order comes to: "failing", "passing" …, or for an infeasible one "POSITION: reason".
std::string outcome(const SymbolicTrace& trace, const EventOrder& order) {
  Evaluator evaluator(trace);
  const Evaluation quick = evaluator.run(order), explained = evaluator.explain(order);
  EXPECT_EQ(quick.outcome, explained.outcome);
  EXPECT_EQ(quick.position, explained.position);
  EXPECT_EQ(quick.reason, "") << "only explain gives reasons";
  if (explained.outcome != Outcome::infeasible) {
    EXPECT_EQ(explained.reason, "");
    return toText(explained.outcome);
  }
  return fmt::format("{}: {}", explained.position, explained.reason);
}

std::string outcome(const SymbolicTrace& trace, std::initializer_list<ThreadIndex> threads) {
  return outcome(trace, byThreads(trace, threads));
}

// Thread 0 starts thread 1, both add one to x, thread 0 joins and checks: start, fork, read, write, join, read,
// failure beside start, read, write, exit.
SymbolicTrace lostUpdate() {
  TraceBuilder b(2);
  b.variable("x", 0);
  const ExprId one = b.constant(1);
  b.start(0);
  b.fork(0, 1, 10);
  b.write(0, "x", b.trace.exprs.binary(ExprOp::add, b.read(0, "x", 11), one), 11);
  b.join(0, 1, 12);
  const ExprId total = b.read(0, "x", 13);
  b.failure(0, {b.trace.exprs.negate(b.trace.exprs.binary(ExprOp::eq, total, b.constant(2)))}, 13);
  b.start(1);
  b.write(1, "x", b.trace.exprs.binary(ExprOp::add, b.read(1, "x", 20), one), 20);
  b.exit(1);
  return b.build();
}

TEST(Evaluator, failingAndPassing) {
  const SymbolicTrace trace = lostUpdate();
  EXPECT_EQ(outcome(trace, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0}), "passing");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0}), "failing");
}

// Two threads put something into a[place], and move place: start, fork, read place, write place, write a, join,
// read a[0], failure beside start, read place, write place, write a, exit.
TEST(Evaluator, anAccessIsWhereItsGuardHolds) {
  TraceBuilder b(2);
  b.variable("place", 0);
  const uint32_t cells[] = {b.cell("a", 0, 4, 0), b.cell("a", 4, 4, 0)};
  ExprPool& exprs = b.trace.exprs;
  auto put = [&](ThreadIndex thread, uint32_t value) {
    const ExprId place = b.read(thread, "place", 10);
    b.write(thread, "place", exprs.binary(ExprOp::add, place, b.constant(1)), 11);
    std::vector<Part> parts;
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t old = b.symbol(32);
      const ExprId here = exprs.binary(ExprOp::eq, place, b.constant(i));
      parts.push_back({cells[i], old, exprs.ite(here, b.constant(value), exprs.symbol(old, 32)), here});
    }
    b.access(thread, EventKind::write, "a", parts, 12);
  };
  b.start(0);
  b.fork(0, 1, 1);
  put(0, 7);
  b.join(0, 1, 13);
  const uint32_t first = b.symbol(32);
  b.access(0, EventKind::read, "a", {{cells[0], first, kNoExpr}}, 14);
  b.failure(0, {exprs.negate(exprs.binary(ExprOp::eq, exprs.symbol(first, 32), b.constant(7)))}, 14);
  b.start(1);
  put(1, 8);
  b.exit(1);
  const SymbolicTrace trace = b.build();
  const EventRef own = 4, others = 11; // the writes of a
  ASSERT_EQ(trace.event(own).kind, EventKind::write);
  ASSERT_EQ(trace.event(others).kind, EventKind::write);

  Evaluator evaluator(trace);
  ASSERT_EQ(evaluator.run(byThreads(trace, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0})).outcome, Outcome::passing);
  const uint32_t read = trace.event(6).firstPart, ownParts = trace.event(own).firstPart,
                 othersParts = trace.event(others).firstPart;
  EXPECT_EQ(evaluator.readFrom()[read], own) << "the other one was elsewhere";
  EXPECT_TRUE(evaluator.touches(ownParts));
  EXPECT_FALSE(evaluator.touches(othersParts));
  EXPECT_TRUE(evaluator.touches(othersParts + 1));
  EXPECT_FALSE(evaluator.reads(othersParts + 1)) << "a write has no use for what was there";
  EXPECT_TRUE(evaluator.reads(read));
  EXPECT_EQ(evaluator.accessValue(others).bits, 8u);
  EXPECT_EQ(evaluator.accessValue(others).width, 32u);

  ASSERT_EQ(evaluator.run(byThreads(trace, {0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0})).outcome, Outcome::failing);
  EXPECT_EQ(evaluator.readFrom()[read], others) << "both were at the same place";
  EXPECT_TRUE(evaluator.touches(othersParts));
}

TEST(Evaluator, readsTakeTheLastWrite) {
  const SymbolicTrace trace = lostUpdate();
  Evaluator evaluator(trace);
  const EventOrder order = byThreads(trace, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0});
  ASSERT_EQ(evaluator.run(order).outcome, Outcome::failing);
  const EventRef mainRead = 2, mainWrite = 3, lastRead = 5, otherRead = 8, otherWrite = 9;
  auto readFrom = [&](EventRef ref) { return evaluator.readFrom()[trace.event(ref).firstPart]; };
  EXPECT_EQ(readFrom(mainRead), kNoEvent);
  EXPECT_EQ(readFrom(otherRead), kNoEvent);
  EXPECT_EQ(readFrom(lastRead), otherWrite);
  EXPECT_EQ(evaluator.accessValue(lastRead).bits, 1u);
  EXPECT_EQ(evaluator.accessValue(lastRead).width, 32u);
  EXPECT_EQ(evaluator.accessValue(mainWrite).bits, 1u);
  EXPECT_EQ(evaluator.symbolValue(trace.partsOf(lastRead)[0].symbol), 1u);
  EXPECT_EQ(evaluator.value(trace.failure.bug[0]), 1u);
}

TEST(Evaluator, runsAreIndependent) {
  const SymbolicTrace trace = lostUpdate();
  Evaluator evaluator(trace);
  const EventOrder failing = byThreads(trace, {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0});
  const EventOrder passing = byThreads(trace, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(evaluator.run(failing).outcome, Outcome::failing);
    EXPECT_EQ(evaluator.run(EventOrder{0, 5}).outcome, Outcome::infeasible);
    EXPECT_EQ(evaluator.run(passing).outcome, Outcome::passing);
  }
}

TEST(Evaluator, everyEventExactlyOnce) {
  const SymbolicTrace trace = lostUpdate();
  EXPECT_EQ(outcome(trace, {0, 0, 0}), "3: 3 events of 11 are scheduled");
  EXPECT_EQ(outcome(trace, EventOrder{}), "0: 0 events of 11 are scheduled");
  EXPECT_EQ(outcome(trace, EventOrder{0, 1, 1}), "2: T0 fork T1 (test.c:10): out of program order");
  EXPECT_EQ(outcome(trace, EventOrder{0, 2}), "1: T0 read x (test.c:11): out of program order");
  EXPECT_EQ(outcome(trace, EventOrder{0, 99}), "1: the trace has no event number 99");
}

TEST(Evaluator, threadsStartAfterTheirForkAndEndBeforeTheirJoin) {
  const SymbolicTrace trace = lostUpdate();
  EXPECT_EQ(outcome(trace, {0, 1}), "1: T1 start (test.c:1): its thread has not been created");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 0, 0}), "4: T0 join T1 (test.c:12): the thread it waits for has not exited");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 0, 1, 1, 1, 0}),
            "7: T0 join T1 (test.c:12): the thread it waits for has not exited");
}

TEST(Evaluator, nothingBeforeStartOrAfterExit) {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.read(1, "x", 2);
  const SymbolicTrace unstarted = b.build();
  EXPECT_THAT(outcome(unstarted, {0, 0, 1}), HasSubstr("its thread has not started"));

  TraceBuilder c(1);
  c.variable("x", 0);
  c.start(0);
  c.exit(0);
  c.read(0, "x", 2);
  EXPECT_THAT(outcome(c.build(), {0, 0, 0}), HasSubstr("its thread has exited"));
}

// Thread 0: start, fork, lock m, unlock m; thread 1: start.
void mainLocksOnce(TraceBuilder& b) {
  b.start(0);
  b.fork(0, 1, 1);
  b.lock(0, "m", 2);
  b.unlock(0, "m", 3);
  b.start(1);
}

// Two threads that lock m; the bug condition is empty, so that every feasible order fails.
SymbolicTrace twoSections() {
  TraceBuilder b(2);
  mainLocksOnce(b);
  b.failure(0, {}, 4);
  b.lock(1, "m", 5);
  b.unlock(1, "m", 6);
  return b.build();
}

TEST(Evaluator, criticalSectionsExclude) {
  const SymbolicTrace trace = twoSections();
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1, 1, 0, 0, 0}), "failing");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 0, 1, 1, 1, 0}), "failing");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1}), "4: T1 lock m (test.c:5): the mutex is held");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1, 0}), "4: T0 lock m (test.c:2): the mutex is held");
}

TEST(Evaluator, completedEventsBelongBeforeTheFailure) {
  EXPECT_EQ(outcome(twoSections(), {0, 0, 0, 0, 0, 1, 1, 1}), "fails early");
  EXPECT_EQ(outcome(twoSections(), {0, 0, 0, 0, 1, 1, 0, 1}), "fails early");
}

TEST(Evaluator, mutexesAreReleasedByTheirOwner) {
  TraceBuilder b(2);
  b.start(0);
  b.fork(0, 1, 1);
  b.lock(0, "m", 2);
  b.start(1);
  b.unlock(1, "m", 3);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1}), "4: T1 unlock m (test.c:3): the mutex is not held by this thread");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1}), "3: T1 unlock m (test.c:3): the mutex is not held by this thread");
}

TEST(Evaluator, differentMutexesDoNotExclude) {
  TraceBuilder b(2);
  mainLocksOnce(b);
  b.lock(1, "n", 4);
  b.unlock(1, "n", 5);
  EXPECT_EQ(outcome(b.build(), {0, 0, 0, 1, 1, 0, 1}), "failing");
}

TEST(Evaluator, trylockMustComeOutAsRecorded) {
  TraceBuilder b(2);
  mainLocksOnce(b);
  b.trylock(1, "m", false, 4);
  b.trylock(1, "m", true, 5);
  b.unlock(1, "m", 6);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1, 0, 1, 1}), "failing");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1}), "3: T1 trylock m (test.c:4): the mutex is free");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1, 1}), "5: T1 trylock m (test.c:5): the mutex is held");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 0, 1, 0, 1, 1}), "failing");
}

TEST(Evaluator, aBusyTrylockTakesNothing) {
  TraceBuilder b(2);
  mainLocksOnce(b);
  b.trylock(1, "m", false, 4);
  b.unlock(1, "m", 5);
  EXPECT_THAT(outcome(b.build(), {0, 0, 0, 1, 1, 0, 1}), HasSubstr("not held by this thread"));
}

TEST(Evaluator, pathConditionsMustHold) {
  TraceBuilder b(2);
  b.variable("flag", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.write(0, "flag", b.constant(1), 2);
  b.start(1);
  const ExprId flag = b.read(1, "flag", 3);
  b.condition(1, b.trace.exprs.binary(ExprOp::eq, flag, b.constant(1)));
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1}), "failing");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1, 0}),
            "3: T1 read flag (test.c:3): the path condition (eq flag@T1.1 1) does not hold");
}

TEST(Evaluator, conditionsOnSyncEventsCountToo) {
  TraceBuilder b(1);
  b.variable("x", 3);
  b.start(0);
  const ExprId x = b.read(0, "x", 1);
  b.lock(0, "m", 2);
  b.condition(0, b.trace.exprs.binary(ExprOp::eq, x, b.constant(4)));
  EXPECT_THAT(outcome(b.build(), {0, 0, 0}), HasSubstr("T0 lock m (test.c:2): the path condition"));
}

// Thread 1 was seen as far as its read; main fails by itself.
SymbolicTrace withTail() {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.failure(0, {}, 2);
  b.start(1);
  const ExprId x = b.read(1, "x", 3);
  b.tail(1);
  b.condition(1, b.trace.exprs.binary(ExprOp::eq, x, b.constant(1)));
  return b.build();
}

TEST(Evaluator, tailEventsMayComeAfterTheFailureWhereTheirConditionsDoNotCount) {
  const SymbolicTrace trace = withTail();
  EXPECT_EQ(outcome(trace, {0, 0, 1, 0, 1}), "failing");
  EXPECT_EQ(outcome(trace, {0, 0, 0, 1, 1}), "fails early") << "the start was completed";
}

TEST(Evaluator, tailEventsBeforeTheFailureAreLikeAnyOther) {
  EXPECT_THAT(outcome(withTail(), {0, 0, 1, 1, 0}), HasSubstr("3: T1 read x"));
}

TEST(Evaluator, syntheticReleasesLetOthersIn) {
  TraceBuilder b(2);
  b.start(0);
  b.fork(0, 1, 1);
  b.start(1);
  b.lock(1, "m", 5);
  b.failure(1, {}, 6);
  b.unlock(1, "m", 6, true);
  b.lock(0, "m", 2);
  b.unlock(0, "m", 3);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 0, 0, 0, 1, 1, 1, 1}), "failing") << "the release may follow the failure";
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1, 1, 1, 0, 0}), "fails early");
  EXPECT_EQ(outcome(trace, {0, 0, 1, 1, 1, 0}), "5: T0 lock m (test.c:2): the mutex is held");
}

// Thread 1 holds m when thread 0 fails; thread 2 needs it before.
TEST(UnhappenedLast, movesReleasesBehindTheFailureUnlessSomebodyNeedsThem) {
  for (const bool isNeeded : {false, true}) {
    TraceBuilder b(3);
    b.start(0);
    b.fork(0, 1, 1), b.fork(0, 2, 1);
    b.failure(0, {}, 9);
    b.start(1);
    b.lock(1, "m", 2);
    b.unlock(1, "m", 3, true);
    b.start(2);
    b.lock(2, isNeeded ? "m" : "other", 4);
    const SymbolicTrace trace = b.build();
    const EventOrder order = byThreads(trace, {0, 0, 0, 1, 1, 1, 2, 2, 0});
    ASSERT_EQ(outcome(trace, order), "failing");
    const EventOrder later = unhappenedLast(trace, order);
    EXPECT_EQ(outcome(trace, later), "failing");
    EXPECT_EQ(later, isNeeded ? order : byThreads(trace, {0, 0, 0, 1, 1, 2, 2, 0, 1}));
  }
}

TEST(Evaluator, syntheticReleasesMayFollowTheExit) {
  TraceBuilder b(1);
  b.start(0);
  b.lock(0, "m", 1);
  b.exit(0);
  b.unlock(0, "m", 1, true);
  EXPECT_EQ(outcome(b.build(), {0, 0, 0, 0}), "failing");
}

TEST(Evaluator, readModifyWriteIsOneStep) {
  TraceBuilder b(2);
  b.variable("n", 5);
  auto plusOne = [&](ExprId n) { return b.trace.exprs.binary(ExprOp::add, n, b.constant(1)); };
  b.start(0);
  b.fork(0, 1, 1);
  b.rmw(0, "n", plusOne, 2);
  b.start(1);
  b.rmw(1, "n", plusOne, 3);
  const SymbolicTrace trace = b.build();
  Evaluator evaluator(trace);
  ASSERT_EQ(evaluator.run(byThreads(trace, {0, 0, 1, 1, 0})).outcome, Outcome::failing);
  const EventRef mine = 2, other = 4;
  EXPECT_EQ(evaluator.symbolValue(0), 6u);
  EXPECT_EQ(evaluator.symbolValue(1), 5u);
  EXPECT_EQ(evaluator.readFrom()[trace.event(mine).firstPart], other);
  EXPECT_EQ(evaluator.accessValue(mine).bits, 7u) << "of a read-modify-write, what it leaves";
}

// Eight bytes written and read whole; thread 1 writes the upper four in between.
TEST(Evaluator, mixedSizesAreRightToTheByte) {
  TraceBuilder b(2);
  const uint32_t lower = b.cell("pair", 0, 4, 0x11111111), upper = b.cell("pair", 4, 4, 0x22222222);
  auto write = [&](ThreadIndex thread, const std::vector<std::pair<uint32_t, uint32_t>>& values, uint32_t line) {
    std::vector<Part> parts;
    for (auto [cell, value] : values) parts.push_back({cell, kNone, b.constant(value)});
    b.access(thread, EventKind::write, "pair", parts, line);
  };
  b.start(0);
  b.fork(0, 1, 1);
  write(0, {{lower, 0xaaaaaaaa}, {upper, 0xbbbbbbbb}}, 2);
  const uint32_t low = b.symbol(32), high = b.symbol(32);
  b.access(0, EventKind::read, "pair", {{lower, low, kNoExpr}, {upper, high, kNoExpr}}, 3);
  const ExprId whole = b.trace.exprs.concat(b.trace.exprs.symbol(high, 32), b.trace.exprs.symbol(low, 32));
  const ExprId torn = b.trace.exprs.constant(0xccccccccaaaaaaaa, 64);
  b.failure(0, {b.trace.exprs.binary(ExprOp::eq, whole, torn)}, 4);
  b.start(1);
  write(1, {{upper, 0xcccccccc}}, 5);
  const SymbolicTrace trace = b.build();

  Evaluator evaluator(trace);
  const EventRef wholeWrite = 2, wholeRead = 3, upperWrite = 6;
  ASSERT_EQ(evaluator.run(byThreads(trace, {0, 0, 0, 1, 1, 0, 0})).outcome, Outcome::failing);
  const uint32_t first = trace.event(wholeRead).firstPart;
  EXPECT_EQ(evaluator.readFrom()[first], wholeWrite);
  EXPECT_EQ(evaluator.readFrom()[first + 1], upperWrite);
  EXPECT_EQ(evaluator.accessValue(wholeRead).bits, 0xccccccccaaaaaaaaull);
  EXPECT_EQ(evaluator.accessValue(wholeRead).width, 64u);
  EXPECT_EQ(evaluator.accessValue(upperWrite).bits, 0xccccccccu);
  EXPECT_EQ(evaluator.accessValue(upperWrite).width, 32u);
  EXPECT_EQ(evaluator.run(byThreads(trace, {0, 0, 1, 1, 0, 0, 0})).outcome, Outcome::passing);
}

TEST(Evaluator, accessesOverEightBytesGiveTheirFirst) {
  TraceBuilder b(1);
  const uint32_t first = b.cell("big", 0, 8, 7), second = b.cell("big", 8, 8, 9);
  b.start(0);
  b.access(0, EventKind::read, "big", {{first, b.symbol(64), kNoExpr}, {second, b.symbol(64), kNoExpr}}, 1);
  const SymbolicTrace trace = b.build();
  Evaluator evaluator(trace);
  ASSERT_EQ(evaluator.run({0, 1}).outcome, Outcome::failing);
  EXPECT_EQ(evaluator.accessValue(1).bits, 7u);
  EXPECT_EQ(evaluator.accessValue(1).width, 64u);
}

TEST(Evaluator, unknownInitialValuesTakeWhatWasObserved) {
  TraceBuilder b(1);
  b.variable("x", 0);
  const uint32_t unknown = b.symbol(32);
  b.trace.symbols[unknown].observed = 42;
  b.trace.cells[0].initial = b.trace.exprs.symbol(unknown, 32);
  b.start(0);
  const ExprId x = b.read(0, "x", 1);
  b.condition(0, b.trace.exprs.binary(ExprOp::eq, x, b.constant(42)));
  EXPECT_EQ(outcome(b.build(), {0, 0}), "failing");
}

TEST(Evaluator, theBugConditionIsAConjunction) {
  TraceBuilder b(1);
  b.variable("x", 1);
  b.start(0);
  const ExprId x = b.read(0, "x", 1);
  auto is = [&](uint32_t value) { return b.trace.exprs.binary(ExprOp::eq, x, b.constant(value)); };
  b.failure(0, {is(1), is(2)}, 2);
  SymbolicTrace trace = b.build();
  EXPECT_EQ(outcome(trace, {0, 0, 0}), "passing");
  trace.failure.bug.pop_back();
  EXPECT_EQ(outcome(trace, {0, 0, 0}), "failing");
}

TEST(Evaluator, outcomesHaveWords) {
  EXPECT_STREQ(toText(Outcome::failing), "failing");
  EXPECT_STREQ(toText(Outcome::passing), "passing");
  EXPECT_STREQ(toText(Outcome::failsEarly), "fails early");
  EXPECT_STREQ(toText(Outcome::infeasible), "infeasible");
}

// Two threads and one lock: left while it could go on, left because it waits, left because it has ended.
TEST(Preemptions, AreSwitchesThatNobodyHadToMake) {
  testing::TraceBuilder b(3);
  b.variable("x", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.fork(0, 2, 2);
  b.join(0, 1, 3);
  for (ThreadIndex t : {1u, 2u}) {
    b.start(t);
    b.lock(t, "m", 4);
    b.write(t, "x", b.constant(t), 5);
    b.unlock(t, "m", 6);
    b.exit(t);
  }
  const SymbolicTrace trace = b.build();
  // T0: 0 start, 1 and 2 fork, 3 join; T1: 4 to 8; T2: 9 to 13
  const EventOrder forced{0, 1, 2, 4, 5, 6, 7, 8, 3, 9, 10, 11, 12, 13};
  EXPECT_EQ(contextSwitches(trace, forced), 3u);
  EXPECT_EQ(preemptions(trace, forced), 0u);
  // T0 waits for T1; T1 is left in its section, where T2 can only start, and goes on; T2 is left after its unlock.
  const EventOrder mixed{0, 1, 2, 4, 5, 9, 6, 7, 10, 11, 12, 8, 3, 13};
  EXPECT_EQ(contextSwitches(trace, mixed), 7u);
  EXPECT_EQ(preemptions(trace, mixed), 3u);
}

} // namespace
} // namespace symbiosis
