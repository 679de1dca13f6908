#include "tests/trace_builder.h"
#include "trace/symbolic_trace.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace symbiosis {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::TraceBuilder;

TEST(EventKind, numbersAndWordsAreDistinct) {
  std::set<int> numbers;
  std::set<std::string> words;
#define SYMBIOSIS_KIND(name, number, text)                                                                        \
  EXPECT_TRUE(numbers.insert(number).second&& words.insert(text).second) << text;                                 \
  EXPECT_STREQ(toText(EventKind::name), text);
  SYMBIOSIS_EVENT_KINDS(SYMBIOSIS_KIND)
#undef SYMBIOSIS_KIND
  EXPECT_STREQ(toText(EventKind(200)), "?");
}

TEST(SymbolicTrace, threadsAreNumberedAndKnowTheirEvents) {
  TraceBuilder b(3);
  b.start(0);
  b.fork(0, 2, 1);
  b.start(2);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(trace.threads[2].displayName, "T2");
  EXPECT_EQ(trace.threads[2].firstEvent, 2u);
  EXPECT_EQ(trace.threads[2].eventCount, 1u);
  EXPECT_EQ(trace.threads[1].eventCount, 0u);
}

TEST(SymbolicTrace, describesAnEvent) {
  TraceBuilder b(2);
  b.variable("queue->filled", 0);
  b.start(0);
  b.fork(0, 1, 7);
  b.write(0, "queue->filled", b.constant(1), 20);
  b.lock(0, "m", 21);
  b.unlock(0, "m", 22, true);
  SymbolicTrace trace = b.build();
  trace.locations[trace.events[2].location].file = "src/deep/queue.c";
  EXPECT_EQ(trace.describe(1), "T0 fork T1 (test.c:7)");
  EXPECT_EQ(trace.describe(2), "T0 write queue->filled (queue.c:20)");
  EXPECT_EQ(trace.describe(4), "T0 synthetic unlock m (test.c:22)");
  trace.events[2].location = kNone;
  trace.events[2].variable.clear();
  EXPECT_EQ(trace.describe(2), "T0 write");
}

TEST(SymbolicTrace, expressionsReadLikeTheirSource) {
  TraceBuilder b(1);
  b.variable("x", 0);
  b.start(0);
  const ExprId x = b.read(0, "x", 1);
  ExprPool& exprs = b.trace.exprs;
  const ExprId positive = exprs.binary(ExprOp::slt, b.constant(0), x);
  const ExprId piece = exprs.sext(exprs.extract(x, 8, 8), 64);
  const ExprId unknown = exprs.symbol(b.symbol(8), 8);
  const SymbolicTrace trace = b.build();
  EXPECT_EQ(toText(trace, positive), "(slt 0 x@T0.1)");
  EXPECT_EQ(toText(trace, piece), "(sext64 (extract[15:8] x@T0.1))");
  EXPECT_EQ(toText(trace, unknown), "initial1");
  SymbolicTrace copy = trace;
  EXPECT_EQ(toText(copy, copy.exprs.negate(positive)), "(not (slt 0 x@T0.1))");
  EXPECT_EQ(toText(copy, copy.exprs.constant(0xffffffff, 32)), "-1");
  EXPECT_EQ(toText(copy, copy.exprs.truth(true)), "true");
}

TEST(SymbolicTrace, largeExpressionsAreCutShort) {
  TraceBuilder b(1);
  b.variable("x", 0);
  b.start(0);
  ExprId wide = b.read(0, "x", 1), deep = wide;
  const ExprId x = wide;
  for (int i = 0; i < 60; ++i) wide = b.trace.exprs.binary(ExprOp::add, wide, wide);
  for (int i = 0; i < 200'000; ++i) deep = b.trace.exprs.binary(ExprOp::mul, deep, x);
  const SymbolicTrace trace = b.build();
  for (ExprId large : {wide, deep}) {
    const std::string text = toText(trace, large);
    EXPECT_LT(text.size(), 5'000u);
    EXPECT_THAT(text, HasSubstr("…"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
  }
}

TEST(SymbolicTrace, dumpShowsEverything) {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0);
  b.fork(0, 1, 1);
  const ExprId x = b.read(0, "x", 2);
  b.trace.symbols[0].observed = 0xffffffff;
  b.condition(0, b.trace.exprs.binary(ExprOp::eq, x, b.constant(7)));
  b.failure(0, {b.trace.exprs.binary(ExprOp::eq, x, b.constant(8))}, 3, "x != 8");
  b.start(1);
  b.trylock(1, "m", false, 4);
  b.write(1, "x", b.constant(7), 5);
  b.tail(1);
  b.unlock(1, "m", 6, true);
  const std::string text = toText(b.build());
  EXPECT_THAT(text,
              AllOf(HasSubstr("2 threads, 8 events, 1 cells, 1 conditions"), HasSubstr("T0 (thread 0, main)"),
                    HasSubstr("T1 (thread 0.1)"), HasSubstr("read     x  [global:x+0] -> s0=-1"),
                    HasSubstr("branch (eq x@T0.2 7)"), HasSubstr("trylock  m  [global:m] busy"),
                    HasSubstr(":= 7 tail  test.c:5 worker1"), HasSubstr("unlock   m  [global:m] synthetic"),
                    HasSubstr("failure: assertion \"x != 8\""), EndsWith("bug condition (eq x@T0.2 8)\n")));
}

TEST(FailureKind, hasWords) {
  EXPECT_STREQ(toText(FailureKind::assertion), "assertion");
  EXPECT_STREQ(toText(FailureKind::hang), "hang");
}

} // namespace
} // namespace symbiosis
