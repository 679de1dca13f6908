#include "dsp/diagnosis.h"
#include "search/approach.h"
#include "search/inversion.h"
#include "tests/dsp/example_traces.h"
#include <gmock/gmock.h>
#include <set>

namespace symbiosis {

using testing::Example;
using testing::TraceBuilder;

static Alternate alternateOf(const Example& example) {
  ScheduleSolver solver(example.trace);
  return findAlternate(example.trace, solver, example.failing,
                       findRootCause(example.trace, solver, example.failing));
}

static Outcome outcomeOf(const Example& example, const EventOrder& order) {
  return Evaluator(example.trace).run(order).outcome;
}

TEST(Alternate, OfTheRunningExampleMovesACriticalSection) {
  const Example example = testing::runningExample();
  const Alternate alternate = alternateOf(example);
  ASSERT_EQ(alternate.status, AlternateStatus::found);
  EXPECT_EQ(alternate.method, AlternateMethod::inversion);
  EXPECT_EQ(alternate.pairsTried, 1u);
  EXPECT_EQ(outcomeOf(example, alternate.order), Outcome::passing);
  const std::vector<uint32_t> at = positionsOf(example.trace, alternate.order);
  EXPECT_LT(at[example.at(2, EventKind::read, 19)], at[example.at(1, EventKind::write, 20)]);
}

TEST(Alternate, NeedsNoSolverWhereAnInversionPasses) {
  const Example example = testing::runningExample();
  ScheduleSolver solver(example.trace, {.seconds = 0, .memoryGb = 1});
  const RootCause unreduced = findRootCause(example.trace, solver, example.failing);
  const Alternate alternate = findAlternate(example.trace, solver, example.failing, unreduced);
  ASSERT_EQ(alternate.status, AlternateStatus::found);
  EXPECT_EQ(outcomeOf(example, alternate.order), Outcome::passing);
}

TEST(Alternate, IsNotProvedAbsentIfSomethingHappenedThatTheTraceDoesNotSay) {
  Example example = testing::alwaysFails();
  example.trace.unmodelled = {"read"};
  ScheduleSolver solver(example.trace);
  const Alternate alternate = findAlternate(example.trace, solver, example.failing, {});
  EXPECT_EQ(alternate.status, AlternateStatus::noneFound);
  EXPECT_NE(alternate.note.find("read"), std::string::npos) << alternate.note;
}

TEST(Alternate, IsProvedAbsentIfEveryScheduleFails) {
  const Alternate alternate = alternateOf(testing::alwaysFails());
  EXPECT_EQ(alternate.status, AlternateStatus::noneProved);
  EXPECT_FALSE(alternate.note.empty());
}

// Two pairs of threads lose one update each; only a schedule without either loss passes.
static Example twoLostUpdates() {
  TraceBuilder b(5);
  b.variable("x", 0), b.variable("y", 0);
  ExprPool& exprs = b.trace.exprs;
  b.start(0);
  for (ThreadIndex t = 1; t < 5; ++t) b.fork(0, t, 10 + t);
  for (ThreadIndex t = 1; t < 5; ++t) b.join(0, t, 20 + t);
  auto isNot = [&](ExprId value, uint32_t number) {
    return exprs.negate(exprs.binary(ExprOp::eq, value, b.constant(number)));
  };
  const ExprId x = isNot(b.read(0, "x", 30), 2), y = isNot(b.read(0, "y", 31), 2);
  b.failure(0, {exprs.binary(ExprOp::bitOr, x, y)}, 32);
  for (ThreadIndex t = 1; t < 5; ++t) {
    const std::string variable = t < 3 ? "x" : "y";
    b.start(t);
    b.write(t, variable, exprs.binary(ExprOp::add, b.read(t, variable, t), b.constant(1)), t);
    b.exit(t);
  }
  Example example{b.build(), {}, {}};
  example.failing =
      testing::interleave(example.trace, {{0, 5}, {1, 2}, {2, 4}, {1, 2}, {3, 2}, {4, 4}, {3, 2}, {0, 7}});
  return example;
}

TEST(Alternate, IsFoundBySearchWhereNoSingleInversionPasses) {
  const Example example = twoLostUpdates();
  ASSERT_EQ(outcomeOf(example, example.failing), Outcome::failing);
  const Alternate alternate = alternateOf(example);
  ASSERT_EQ(alternate.status, AlternateStatus::found);
  EXPECT_EQ(alternate.method, AlternateMethod::search);
  EXPECT_EQ(outcomeOf(example, alternate.order), Outcome::passing);
  // Nearest: each of the two losses is undone by turning one read and one write round, nothing more.
  size_t changed = 0;
  const std::vector<uint32_t> before = positionsOf(example.trace, example.failing),
                              after = positionsOf(example.trace, alternate.order);
  for (const OrderEdge& edge : candidateEdges(example.trace, example.failing))
    changed += after[edge.before] > after[edge.after];
  EXPECT_LE(changed, 4u);
}

// One of the two losses is enough to fail: near the alternate there is a failing schedule that one inversion
// mends.
TEST(Alternate, OfTheSimplerFailingScheduleIsOneInversion) {
  const Example example = twoLostUpdates();
  ScheduleSolver solver(example.trace);
  const Alternate first = alternateOf(example);
  Example simpler = example;
  simpler.failing = nearestTo(example.trace, solver, first.order, Goal::failing, example.failing);
  ASSERT_EQ(outcomeOf(simpler, simpler.failing), Outcome::failing);
  const Alternate second = alternateOf(simpler);
  EXPECT_EQ(second.status, AlternateStatus::found);
  EXPECT_EQ(second.method, AlternateMethod::inversion);
}

TEST(Alternate, SeveralDifferInWhatTheReadsTake) {
  const Example example = testing::bank();
  ScheduleSolver solver(example.trace);
  const RootCause cause = findRootCause(example.trace, solver, example.failing);
  const std::vector<Alternate> alternates = findAlternates(example.trace, solver, example.failing, cause, 5);
  ASSERT_GE(alternates.size(), 2u);
  std::set<std::vector<EventRef>> flows;
  for (const Alternate& alternate : alternates) {
    Evaluator evaluator(example.trace);
    EXPECT_EQ(evaluator.run(alternate.order).outcome, Outcome::passing);
    EXPECT_TRUE(flows.insert(evaluator.readFrom()).second);
  }
}

} // namespace symbiosis
