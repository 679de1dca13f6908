#include "tests/trace/expr_reference.h"
#include "trace/expr.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using ::testing::ElementsAre;
using testing::kBinaryOps;
using testing::reference;

// The value of `op` on two constants of `width` bits, by folding and by evaluating the same with symbols.
uint64_t apply(ExprOp op, unsigned width, uint64_t a, uint64_t b) {
  ExprPool pool;
  const ExprId folded = pool.binary(op, pool.constant(a, width), pool.constant(b, width));
  const ExprId symbolic = pool.binary(op, pool.symbol(0, width), pool.symbol(1, width));
  ExprEvaluator evaluator(pool);
  evaluator.assign(0, a);
  evaluator.assign(1, b);
  EXPECT_TRUE(pool.isConstant(folded));
  EXPECT_EQ(evaluator.value(symbolic), pool.constantValue(folded)) << toText(op) << width;
  return pool.constantValue(folded);
}

TEST(Expr, divisionByZeroIsSmtLibs) {
  EXPECT_EQ(apply(ExprOp::udiv, 8, 7, 0), 0xffu);
  EXPECT_EQ(apply(ExprOp::urem, 8, 7, 0), 7u);
  EXPECT_EQ(apply(ExprOp::sdiv, 8, 7, 0), 0xffu); // -1
  EXPECT_EQ(apply(ExprOp::sdiv, 8, 0xf9, 0), 1u); // -7 / 0
  EXPECT_EQ(apply(ExprOp::srem, 8, 0xf9, 0), 0xf9u);
  EXPECT_EQ(apply(ExprOp::udiv, 64, 7, 0), ~uint64_t{0});
}

TEST(Expr, signedDivisionRoundsToZeroAndWraps) {
  EXPECT_EQ(apply(ExprOp::sdiv, 8, 0xf9, 2), 0xfdu); // -7 / 2 is -3
  EXPECT_EQ(apply(ExprOp::srem, 8, 0xf9, 2), 0xffu); // -1
  EXPECT_EQ(apply(ExprOp::srem, 8, 7, 0xfe), 1u);    // 7 % -2
  EXPECT_EQ(apply(ExprOp::sdiv, 8, 0x80, 0xff), 0x80u);
  EXPECT_EQ(apply(ExprOp::srem, 8, 0x80, 0xff), 0u);
  EXPECT_EQ(apply(ExprOp::sdiv, 64, uint64_t{1} << 63, ~uint64_t{0}), uint64_t{1} << 63);
  EXPECT_EQ(apply(ExprOp::srem, 64, uint64_t{1} << 63, ~uint64_t{0}), 0u);
}

TEST(Expr, shiftsPastTheWidth) {
  for (uint64_t by : {uint64_t{8}, uint64_t{9}, uint64_t{64}, uint64_t{255}}) {
    EXPECT_EQ(apply(ExprOp::shl, 8, 0xff, by), 0u);
    EXPECT_EQ(apply(ExprOp::lshr, 8, 0xff, by), 0u);
    EXPECT_EQ(apply(ExprOp::ashr, 8, 0x80, by), 0xffu);
    EXPECT_EQ(apply(ExprOp::ashr, 8, 0x7f, by), 0u);
  }
  EXPECT_EQ(apply(ExprOp::shl, 64, 3, 63), uint64_t{1} << 63);
  EXPECT_EQ(apply(ExprOp::shl, 64, 3, 64), 0u);
  EXPECT_EQ(apply(ExprOp::lshr, 64, ~uint64_t{0}, 1000), 0u);
  EXPECT_EQ(apply(ExprOp::ashr, 64, ~uint64_t{0}, 1000), ~uint64_t{0});
}

TEST(Expr, comparisonsKnowTheSign) {
  EXPECT_EQ(apply(ExprOp::ult, 8, 0x80, 1), 0u);
  EXPECT_EQ(apply(ExprOp::slt, 8, 0x80, 1), 1u);
  EXPECT_EQ(apply(ExprOp::sle, 64, ~uint64_t{0}, 0), 1u);
  EXPECT_EQ(apply(ExprOp::ule, 64, ~uint64_t{0}, 0), 0u);
}

TEST(Expr, everyBinaryOperatorOnAllSmallValues) {
  for (ExprOp op : kBinaryOps)
    for (unsigned width = 1; width <= 4; ++width)
      for (uint64_t a = 0; a < (1u << width); ++a)
        for (uint64_t b = 0; b < (1u << width); ++b)
          ASSERT_EQ(apply(op, width, a, b), reference(op, width, width, 0, a, b, 0))
              << toText(op) << " on " << width << " bits of " << a << ", " << b;
}

TEST(Expr, everyBinaryOperatorOnTheEdgesOfWideValues) {
  for (unsigned width : {5u, 7u, 8u, 16u, 31u, 32u, 33u, 63u, 64u}) {
    const uint64_t mask = maskOf(width), sign = uint64_t{1} << (width - 1);
    const uint64_t edges[] = {0,        1,    2,        3,        width - 1, width & mask, (width + 1) & mask,
                              sign - 1, sign, sign + 1, mask - 1, mask};
    for (ExprOp op : kBinaryOps)
      for (uint64_t a : edges)
        for (uint64_t b : edges)
          ASSERT_EQ(apply(op, width, a, b), reference(op, width, width, 0, a, b, 0))
              << toText(op) << " on " << width << " bits of " << a << ", " << b;
  }
}

TEST(Expr, widthChanges) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  const ExprId byte = pool.symbol(0, 8);
  evaluator.assign(0, 0x9c);
  EXPECT_EQ(evaluator.value(pool.zext(byte, 32)), 0x9cu);
  EXPECT_EQ(evaluator.value(pool.sext(byte, 32)), 0xffffff9cu);
  EXPECT_EQ(evaluator.value(pool.sext(byte, 64)), 0xffffffffffffff9cull);
  EXPECT_EQ(evaluator.value(pool.extract(byte, 4, 4)), 0x9u);
  EXPECT_EQ(evaluator.value(pool.concat(byte, pool.constant(0x12, 8))), 0x9c12u);
  EXPECT_EQ(evaluator.value(pool.ite(pool.extract(byte, 7, 1), byte, pool.constant(1, 8))), 0x9cu);
  EXPECT_EQ(evaluator.value(pool.negate(pool.extract(byte, 7, 1))), 0u);
  EXPECT_EQ(pool.constantValue(pool.sext(pool.constant(1, 1), 64)), ~uint64_t{0});
}

TEST(Expr, symbolsAreCutToTheirWidth) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  evaluator.assign(0, 0x1ff);
  EXPECT_EQ(evaluator.value(pool.symbol(0, 8)), 0xffu);
}

TEST(Expr, equalExpressionsAreOne) {
  ExprPool pool;
  const ExprId x = pool.symbol(0, 32), y = pool.symbol(1, 32);
  EXPECT_EQ(pool.binary(ExprOp::add, x, y), pool.binary(ExprOp::add, x, y));
  EXPECT_NE(pool.binary(ExprOp::sub, x, y), pool.binary(ExprOp::sub, y, x));
  EXPECT_EQ(pool.constant(0x100, 8), pool.constant(0, 8));
  EXPECT_NE(pool.constant(0, 8), pool.constant(0, 16));
  EXPECT_NE(pool.symbol(0, 32), pool.symbol(0, 8));
  EXPECT_NE(pool.extract(x, 0, 8), pool.extract(x, 8, 8));
  EXPECT_NE(x, kNoExpr);
}

TEST(Expr, simplifications) {
  ExprPool pool;
  const ExprId x = pool.symbol(0, 32), bit = pool.symbol(1, 1), zero = pool.constant(0, 32);
  EXPECT_EQ(pool.binary(ExprOp::add, zero, x), x);
  EXPECT_EQ(pool.binary(ExprOp::mul, x, zero), zero);
  EXPECT_EQ(pool.binary(ExprOp::sub, x, x), zero);
  EXPECT_EQ(pool.negate(pool.negate(bit)), bit);
  EXPECT_EQ(pool.binary(ExprOp::eq, bit, pool.truth(true)), bit);
  EXPECT_EQ(pool.binary(ExprOp::ule, x, x), pool.truth(true));
  // pieces of a value that are put together again
  EXPECT_EQ(pool.concat(pool.extract(x, 16, 16), pool.extract(x, 0, 16)), x);
  EXPECT_EQ(pool.extract(pool.concat(x, pool.symbol(2, 32)), 32, 32), x);
  EXPECT_EQ(pool.extract(pool.zext(x, 64), 0, 32), x);
  EXPECT_EQ(pool.extract(pool.zext(x, 64), 32, 32), zero);
  // (zext bit) != 0, the way C writes a condition
  const ExprId asInt = pool.zext(bit, 32);
  EXPECT_EQ(pool.negate(pool.binary(ExprOp::eq, asInt, zero)), bit);
  EXPECT_EQ(pool.binary(ExprOp::eq, asInt, pool.constant(2, 32)), pool.truth(false));
}

// What an address says about the index in it.
TEST(Expr, anAddressEqualsAConstantIfItsIndexDoes) {
  ExprPool pool;
  const ExprId index = pool.symbol(0, 32), base = pool.constant(0x1000, 64), size = pool.constant(12, 64);
  auto address = [&](ExprId wide) { return pool.binary(ExprOp::add, pool.binary(ExprOp::mul, wide, size), base); };
  auto equals = [&](ExprId expr, uint64_t bits) {
    return pool.binary(ExprOp::eq, expr, pool.constant(bits, pool.width(expr)));
  };
  EXPECT_EQ(equals(address(pool.zext(index, 64)), 0x1000 + 24), equals(index, 2));
  EXPECT_EQ(equals(address(pool.sext(index, 64)), 0x1000 - 12), equals(index, 0xFFFFFFFF));
  EXPECT_EQ(equals(address(pool.zext(index, 64)), 0x1000 - 12), pool.truth(false));
  EXPECT_EQ(equals(address(pool.sext(index, 64)), 0x1000 + 25), pool.truth(false));
  const ExprId wide = pool.symbol(1, 64); // may wrap around: nothing can be said
  EXPECT_FALSE(pool.isConstant(equals(address(wide), 0x1000 + 25)));
}

TEST(Expr, symbolsInAreSortedAndUnique) {
  ExprPool pool;
  const ExprId five = pool.symbol(5, 32), two = pool.symbol(2, 32);
  const ExprId sum = pool.binary(ExprOp::add, pool.binary(ExprOp::mul, five, two), five);
  EXPECT_THAT(pool.symbolsIn(sum), ElementsAre(2, 5));
  // one symbol in two widths is still one symbol
  EXPECT_THAT(pool.symbolsIn(pool.binary(ExprOp::add, five, pool.zext(pool.symbol(5, 8), 32))), ElementsAre(5));
  EXPECT_THAT(pool.symbolsIn(pool.constant(1, 8)), ElementsAre());
}

TEST(ExprEvaluator, forgetsWithReset) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  const ExprId next = pool.binary(ExprOp::add, pool.symbol(0, 32), pool.constant(1, 32));
  evaluator.assign(0, 1);
  EXPECT_EQ(evaluator.value(next), 2u);
  evaluator.reset();
  EXPECT_FALSE(evaluator.isAssigned(0));
  EXPECT_FALSE(evaluator.isAssigned(7));
  evaluator.assign(0, 2);
  EXPECT_EQ(evaluator.value(next), 3u);
}

TEST(ExprEvaluator, seesExpressionsMadeLater) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  const ExprId x = pool.symbol(0, 32);
  evaluator.assign(0, 20);
  EXPECT_EQ(evaluator.value(x), 20u);
  EXPECT_EQ(evaluator.value(pool.binary(ExprOp::mul, x, pool.constant(3, 32))), 60u);
}

TEST(ExprEvaluator, deepAndSharedGraphsAreLinear) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  ExprId chain = pool.symbol(0, 32), doubled = pool.symbol(0, 64);
  for (int i = 0; i < 200'000; ++i) chain = pool.binary(ExprOp::add, chain, pool.symbol(1, 32));
  for (int i = 0; i < 60; ++i) doubled = pool.binary(ExprOp::add, doubled, doubled);
  evaluator.assign(0, 5);
  evaluator.assign(1, 3);
  EXPECT_EQ(evaluator.value(chain), 600'005u);
  EXPECT_EQ(evaluator.value(doubled), uint64_t{5} << 60);
}

TEST(ExprEvaluatorDeathTest, anUnassignedSymbolIsOurBug) {
  ExprPool pool;
  ExprEvaluator evaluator(pool);
  const ExprId x = pool.symbol(0, 32);
  EXPECT_DEATH((void)evaluator.value(x), "isAssigned");
}

} // namespace
} // namespace symbiosis
