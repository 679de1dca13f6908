// Turned decisions against every interleaving of tiny traces.
#include "search/held_back.h"
#include "search/turn.h"
#include "tests/dsp/random_traces.h"
#include "tests/support/scale.h"
#include "trace/execution.h"
#include <gmock/gmock.h>
#include <set>

namespace symbiosis {
namespace {

using testing::Example;

// Two sellers test what is left, then take: T1 and T2 both see the last ticket.
Example tickets() {
  testing::TraceBuilder b(3);
  b.variable("left", 1);
  b.start(0);
  b.fork(0, 1, 30);
  b.fork(0, 2, 30);
  for (ThreadIndex seller : {1u, 2u}) {
    b.start(seller);
    const ExprId seen = b.read(seller, "left", 14);
    b.condition(seller, b.trace.exprs.binary(ExprOp::slt, b.constant(0), seen));
    const ExprId again = b.read(seller, "left", 17);
    b.write(seller, "left", b.trace.exprs.binary(ExprOp::sub, again, b.constant(1)), 17);
    b.exit(seller);
  }
  b.join(0, 1, 31);
  b.join(0, 2, 31);
  const ExprId rest = b.read(0, "left", 32);
  b.failure(0, {b.trace.exprs.binary(ExprOp::slt, rest, b.constant(0))}, 32);
  Example example{b.build(), {}, {}};
  // main forks; both test; both take; main checks.
  const SymbolicTrace& t = example.trace;
  const EventRef one = t.threads[1].firstEvent, two = t.threads[2].firstEvent;
  example.failing = {0,       1,       2,       one,     one + 1, two, two + 1, one + 2, one + 3,
                     one + 4, two + 2, two + 3, two + 4, 3,       4,   5,       6};
  return example;
}

// Whether some schedule of the cut comes to its stop: depth first over all interleavings, states visited once.
class Enumeration {
public:
  explicit Enumeration(const Cut& cut)
      : cut_(cut), code_(cut.trace), execution_(code_, Execution::Journal::kept) {}

  bool canTurn() {
    execution_.reset();
    return extend();
  }

private:
  bool extend() {
    if (execution_.nextOf(cut_.trace.threadOf(cut_.decision)) > cut_.decision) return true;
    if (!seen_.insert(state()).second) return false;
    for (ThreadIndex thread = 0; thread < cut_.trace.threads.size(); ++thread) {
      const EventRef next = execution_.nextOf(thread);
      if (execution_.isFinished(thread) || cut_.trace.event(next).pending || !execution_.isPossible(next))
        continue;
      const bool isOnPath = execution_.step(next) == Execution::Step::done;
      if (isOnPath && extend()) return true;
      execution_.undo(next);
    }
    return false;
  }
  std::vector<uint64_t> state() const {
    std::vector<uint64_t> state;
    for (ThreadIndex thread = 0; thread < cut_.trace.threads.size(); ++thread)
      state.push_back(execution_.position(thread));
    for (uint32_t cell = 0; cell < cut_.trace.cells.size(); ++cell) state.push_back(execution_.memory(cell));
    for (uint32_t symbol = 0; symbol < cut_.trace.symbols.size(); ++symbol)
      state.push_back(execution_.symbolValue(symbol));
    return state;
  }

  const Cut& cut_;
  const CompiledTrace code_;
  Execution execution_;
  std::set<std::vector<uint64_t>> seen_;
};

// The prefix can happen, on everybody's path, and ends with the decision made otherwise.
void expectTurned(const Cut& cut, const EventOrder& prefix) {
  const CompiledTrace code(cut.trace);
  Execution execution(code, Execution::Journal::none);
  for (EventRef ref : prefix) {
    ASSERT_NE(cut.inCut[ref], kNoEvent);
    ASSERT_EQ(execution.step(cut.inCut[ref]), Execution::Step::done) << cut.trace.describe(cut.inCut[ref]);
  }
  EXPECT_EQ(cut.inCut[prefix.back()], cut.decision);
}

TEST(Turn, ALastTicketIsTestedLater) {
  const Example example = tickets();
  ASSERT_EQ(Evaluator(example.trace).run(example.failing).outcome, Outcome::failing);
  const std::vector<Decision> decisions = decisionsIn(example.trace, example.failing);
  ASSERT_EQ(decisions.size(), 2u);
  for (const Decision& decision : decisions) {
    EXPECT_EQ(example.trace.locations[locationOf(example.trace, decision)].line, 14u);
    const Turn answer = turn(example.trace, example.failing, decision, {});
    // The other one had tested before, or has not yet.
    EXPECT_EQ(answer.status, TurnStatus::possible);
    expectTurned(cutAt(example.trace, decision), answer.prefix);
  }
}

TEST(Turn, WhatNobodyElseWritesCannotBeTurned) {
  testing::TraceBuilder b(2);
  b.variable("x", 1);
  b.start(0);
  b.fork(0, 1, 1);
  b.start(1);
  const ExprId seen = b.read(1, "x", 10);
  b.condition(1, b.trace.exprs.binary(ExprOp::eq, seen, b.constant(1)));
  b.failure(1, {}, 11);
  const SymbolicTrace trace = b.build();
  const EventOrder order = {0, 1, 2, 3, 4};
  const std::vector<Decision> decisions = decisionsIn(trace, order);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(turn(trace, order, decisions[0], {}).status, TurnStatus::impossible);
  EXPECT_TRUE(turnedByHolding(cutAt(trace, decisions[0]), cutAt(trace, decisions[0]).cutDown(order)).empty());
}

TEST(Turn, AgreesWithAllInterleavings) {
  size_t turned = 0, forced = 0;
  for (uint32_t seed = 1; seed <= 6000 * testing::testScale(); ++seed) {
    const std::optional<Example> example = testing::RandomTrace(seed).make();
    if (!example) continue;
    for (const Decision& decision : decisionsIn(example->trace, example->failing)) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, example->trace.describe(decision.event)));
      const Cut cut = cutAt(example->trace, decision);
      const Turn answer = turn(example->trace, example->failing, decision, {});
      const bool isTurned = answer.status == TurnStatus::possible || answer.status == TurnStatus::notAlone;
      ASSERT_NE(answer.status, TurnStatus::unknown) << answer.reason;
      EXPECT_EQ(isTurned, Enumeration(cut).canTurn());
      if (isTurned) expectTurned(cut, answer.prefix);
      (isTurned ? turned : forced)++;
    }
  }
  EXPECT_GT(turned, 200u);
  EXPECT_GT(forced, 200u);
}

} // namespace
} // namespace symbiosis
