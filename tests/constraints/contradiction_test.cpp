// Why nothing explains a recording, in words that name lines, threads and variables.
#include "constraints/contradiction.h"
#include "lost_updates.h"
#include "random_trace.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TraceBuilder;

TEST(Contradiction, AValueThatNobodyMakes) {
  const SymbolicTrace trace = testing::lostUpdates(2, 1, 0);
  const std::vector<std::string> why = explainContradiction(trace, Goal::failing, {});
  EXPECT_THAT(why, Contains("the failing check of T0 at test.c:31 needs counter == 0"));
  EXPECT_THAT(why, Contains(HasSubstr("the read of counter by T0 at test.c:30 sees the last write before it")));
}

// A section writes 1 and then 2; whoever takes the lock sees no 1.
TEST(Contradiction, NamesTheLockThatHidesAValue) {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.variable("y", 0);
  b.start(0);
  b.fork(0, 1, 3);
  b.lock(0, "m", 4);
  b.write(0, "x", b.constant(1), 5);
  b.write(0, "x", b.constant(2), 6);
  b.unlock(0, "m", 7);
  b.write(0, "y", b.constant(1), 8);
  b.failure(0, {}, 9);
  b.start(1);
  b.lock(1, "m", 10);
  b.condition(1, b.trace.exprs.binary(ExprOp::eq, b.read(1, "x", 11), b.constant(1)));
  b.condition(1, b.trace.exprs.binary(ExprOp::ult, b.read(1, "y", 12), b.constant(2)));
  b.unlock(1, "m", 13);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(ScheduleSolver(trace).failing().answer, Answer::unsat);
  EXPECT_THAT(
      explainContradiction(trace, Goal::failing, {}),
      ElementsAre("T1 went on as recorded at test.c:11, which needs x == 1",
                  "the read of x by T1 at test.c:11 sees the last write before it: of T0 at test.c:5 (value "
                  "1), T0 at test.c:6 (value 2), or the initial value 0",
                  AllOf(HasSubstr("m is held by one thread at a time"), HasSubstr("lock by T1 at test.c:10"))));
}

// Dekker without fences: both threads read 0, as a processor with store buffers lets them.
TEST(Contradiction, StoreBuffering) {
  TraceBuilder b(3);
  b.variable("flag1", 0);
  b.variable("flag2", 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.fork(0, 2, 2);
  b.failure(0, {}, 4);
  for (ThreadIndex t : {1u, 2u}) {
    b.start(t);
    b.write(t, t == 1 ? "flag1" : "flag2", b.constant(1), 10 * t);
    const ExprId other = b.read(t, t == 1 ? "flag2" : "flag1", 10 * t + 1);
    b.condition(t, b.trace.exprs.binary(ExprOp::eq, other, b.constant(0)));
  }
  SymbolicTrace trace = b.build();
  for (SymbolInfo& symbol : trace.symbols) symbol.observed = 0;
  const std::vector<std::string> why = explainContradiction(trace, Goal::failing, {});
  EXPECT_EQ(why.size(), 4u);
  EXPECT_THAT(why, Contains(HasSubstr("the read of flag2 by T1 at test.c:11 returned 0")));
  EXPECT_THAT(why, Contains(HasSubstr("T2 went on as recorded at test.c:21, which needs flag1 == 0")));
}

TEST(Contradiction, SaysNothingWhereThereIsNone) {
  EXPECT_TRUE(explainContradiction(testing::lostUpdates(2, 2, 3), Goal::failing, {}).empty());
}

// Whatever is unsatisfiable has an explanation, and nothing else has.
TEST(Contradiction, OfRandomTraces) {
  size_t explained = 0;
  for (unsigned seed = 0; seed < 250; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random, 8, testing::Sync::all);
    const bool isUnsat = ScheduleSolver(trace).failing().answer == Answer::unsat;
    const std::vector<std::string> why = explainContradiction(trace, Goal::failing, {});
    explained += !why.empty();
    // Program order, creation and joins are beyond doubt, and may be all that there is to it.
    ASSERT_TRUE(why.empty() || isUnsat) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(explained, 40u);
}

} // namespace
} // namespace symbiosis
