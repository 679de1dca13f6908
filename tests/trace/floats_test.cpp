#include "tests/trace_builder.h"
#include "trace/evaluator.h"
#include "trace/floats.h"
#include "trace/infix.h"
#include "trace/klee_export.h"
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace symbiosis {
namespace {

using ::testing::HasSubstr;

uint64_t bits(double number) { return std::bit_cast<uint64_t>(number); }
uint64_t bits(float number) { return std::bit_cast<uint32_t>(number); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Folded, and evaluated with symbols.
uint64_t apply(ExprOp op, uint64_t a, uint64_t b, unsigned width = 64) {
  ExprPool pool;
  const ExprId symbolic = pool.binary(op, pool.symbol(0, width), pool.symbol(1, width));
  ExprEvaluator evaluator(pool);
  evaluator.assign(0, a);
  evaluator.assign(1, b);
  const uint64_t folded = pool.constantValue(pool.binary(op, pool.constant(a, width), pool.constant(b, width)));
  EXPECT_EQ(evaluator.value(symbolic), folded) << toText(op);
  return folded;
}
uint64_t apply(ExprOp op, double a, double b) { return apply(op, bits(a), bits(b)); }

uint64_t convert(ExprOp op, uint64_t a, unsigned from, unsigned to, Rounding how = Rounding::toEven) {
  ExprPool pool;
  const ExprId symbolic = pool.unaryFloat(op, pool.symbol(0, from), to, unsigned(how));
  ExprEvaluator evaluator(pool);
  evaluator.assign(0, a);
  const uint64_t folded = pool.constantValue(pool.unaryFloat(op, pool.constant(a, from), to, unsigned(how)));
  EXPECT_EQ(evaluator.value(symbolic), folded) << toText(op);
  return folded;
}

TEST(Floats, AreComputedInTheirOwnPrecision) {
  EXPECT_EQ(apply(ExprOp::fadd, 0.1, 0.2), bits(0.1 + 0.2));
  EXPECT_EQ(apply(ExprOp::fadd, bits(0.1f), bits(0.2f), 32), bits(0.1f + 0.2f));
  EXPECT_EQ(apply(ExprOp::fsub, 1e16, 1.0), bits(1e16 - 1.0));
  EXPECT_EQ(apply(ExprOp::fmul, bits(1e30f), bits(1e30f), 32), bits(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(apply(ExprOp::fdiv, 1.0, -0.0), bits(-kInfinity));
  ExprPool pool;
  const ExprId third = pool.constant(bits(1.0 / 3), 64), three = pool.constant(bits(3.0), 64),
               minusOne = pool.constant(bits(-1.0), 64);
  EXPECT_EQ(pool.constantValue(pool.fusedMultiplyAdd(third, three, minusOne)), bits(std::fma(1.0 / 3, 3, -1)))
      << "rounded once";
}

TEST(Floats, ThereIsOneNan) {
  EXPECT_EQ(apply(ExprOp::fsub, kInfinity, kInfinity), quietNan(64));
  EXPECT_EQ(apply(ExprOp::fadd, 0x7ff8000000001234, bits(1.0)), quietNan(64)) << "whatever it was before";
  EXPECT_EQ(apply(ExprOp::fdiv, 0, 0, 32), quietNan(32));
  EXPECT_EQ(convert(ExprOp::fsqrt, bits(-1.0), 64, 64), quietNan(64));
  EXPECT_EQ(convert(ExprOp::fneg, 0x7ff8000000001234, 64, 64), 0xfff8000000001234) << "only the sign";
}

TEST(Floats, ComparisonsAreOfNumbers) {
  EXPECT_EQ(apply(ExprOp::feq, 0.0, -0.0), 1u);
  EXPECT_EQ(apply(ExprOp::flt, -0.0, 0.0), 0u);
  EXPECT_EQ(apply(ExprOp::flt, -2.0, -1.0), 1u);
  EXPECT_EQ(apply(ExprOp::fle, kNan, kNan), 0u);
  EXPECT_EQ(apply(ExprOp::feq, kNan, kNan), 0u);
  EXPECT_EQ(apply(ExprOp::funo, kNan, 1.0), 1u);
  EXPECT_EQ(apply(ExprOp::funo, 2.0, 1.0), 0u);
  EXPECT_EQ(apply(ExprOp::fmin, kNan, 1.0), bits(1.0));
  EXPECT_EQ(apply(ExprOp::fmax, 1.0, kNan), bits(1.0));
  EXPECT_EQ(apply(ExprOp::fmax, 1.0, 2.0), bits(2.0));
}

TEST(Floats, ConversionsRoundToNearestAndCutTowardZero) {
  EXPECT_EQ(convert(ExprOp::sitof, uint64_t(-3), 64, 64), bits(-3.0));
  EXPECT_EQ(convert(ExprOp::uitof, ~uint64_t{0}, 64, 64), bits(18446744073709551616.0));
  EXPECT_EQ(convert(ExprOp::sitof, 16777217, 32, 32), bits(16777216.0f));
  EXPECT_EQ(convert(ExprOp::ftosi, bits(-2.9), 64, 32), uint64_t(uint32_t(-2)));
  EXPECT_EQ(convert(ExprOp::ftosi, bits(-2147483648.9), 64, 32), 0x80000000u);
  EXPECT_EQ(convert(ExprOp::ftosi, bits(3e9), 64, 32), 0x80000000u) << "does not fit";
  EXPECT_EQ(convert(ExprOp::ftosi, bits(kNan), 64, 64), uint64_t{1} << 63);
  EXPECT_EQ(convert(ExprOp::ftoui, bits(1.5e19), 64, 64), 15000000000000000000u);
  EXPECT_EQ(convert(ExprOp::ftoui, bits(-0.5), 64, 64), 0u);
  EXPECT_EQ(convert(ExprOp::ftrunc, bits(0.1), 64, 32), bits(0.1f));
  EXPECT_EQ(convert(ExprOp::fext, bits(0.1f), 32, 64), bits(double(0.1f)));
}

TEST(Floats, WholeNumbersAreReachedInFiveWays) {
  EXPECT_EQ(convert(ExprOp::fround, bits(2.5), 64, 64, Rounding::toEven), bits(2.0));
  EXPECT_EQ(convert(ExprOp::fround, bits(2.5), 64, 64, Rounding::awayFromZero), bits(3.0));
  EXPECT_EQ(convert(ExprOp::fround, bits(-2.5), 64, 64, Rounding::up), bits(-2.0));
  EXPECT_EQ(convert(ExprOp::fround, bits(-2.5), 64, 64, Rounding::down), bits(-3.0));
  EXPECT_EQ(convert(ExprOp::fround, bits(-2.5), 64, 64, Rounding::towardZero), bits(-2.0));
}

TEST(Floats, AreWrittenWithAsFewDigitsAsTellThem) {
  EXPECT_EQ(floatText(bits(0.1), 64), "0.1");
  EXPECT_EQ(floatText(bits(0.1f), 32), "0.1");
  EXPECT_EQ(floatText(bits(3.0), 64), "3.0");
  EXPECT_EQ(floatText(bits(-0.0), 64), "-0.0");
  EXPECT_EQ(floatText(bits(1e300), 64), "1e+300");
  EXPECT_EQ(floatText(bits(-kInfinity), 64), "-inf");
  EXPECT_EQ(floatText(quietNan(64), 64), "nan");
}

// One read of `price`, and a check of it.
SymbolicTrace priceCheck() {
  testing::TraceBuilder builder(1);
  builder.start(0);
  builder.variable("price", uint32_t(bits(1.5f)));
  ExprPool& exprs = builder.trace.exprs;
  const ExprId price = builder.read(0, "price", 10);
  builder.write(0, "price", exprs.binary(ExprOp::fadd, price, exprs.constant(bits(0.25f), 32)), 11);
  const ExprId twice = exprs.unaryFloat(ExprOp::fext, exprs.binary(ExprOp::fmul, price, price), 64);
  builder.failure(0, {exprs.negate(exprs.binary(ExprOp::fle, twice, exprs.constant(bits(0.5), 64)))}, 12);
  return builder.build();
}

TEST(Floats, AreReadableInExpressions) {
  SymbolicTrace trace = priceCheck();
  EXPECT_EQ(toInfix(trace, trace.failure.bug[0]), "double(price * price) > 0.5");
  EXPECT_EQ(toInfix(trace, trace.partsOf(2)[0].written), "price + 0.25");
  EXPECT_THAT(toText(trace), HasSubstr(":= (fadd price@T0.1 0.25)"));
  EXPECT_THAT(toText(trace), HasSubstr("(not (fle (fext64 (fmul price@T0.1 price@T0.1)) 0.5))"));
  EXPECT_EQ(toInfix(trace, trace.cells[0].initial, true), "1.5");
}

TEST(Floats, CellsAreKnownByWhatIsDoneWithThem) {
  SymbolicTrace trace = priceCheck();
  EXPECT_FALSE(trace.cells[0].isFloat);
  findFloats(trace);
  EXPECT_TRUE(trace.cells[0].isFloat);
  const ExprId price = trace.exprs.symbol(trace.partsOf(1)[0].symbol, 32);
  const ExprId pinned = trace.exprs.binary(ExprOp::eq, price, trace.exprs.constant(bits(1.5f), 32));
  EXPECT_EQ(toInfix(trace, pinned), "price == 1.5");
  Evaluator evaluator(trace);
  EXPECT_EQ(evaluator.run({0, 1, 2, 3}).outcome, Outcome::failing);
  EXPECT_TRUE(evaluator.accessValue(2).isFloat);
  EXPECT_EQ(evaluator.accessValue(2).bits, bits(1.75f));
}

TEST(Floats, KQueryRefusesThem) {
  const Result<std::string> text = toKQuery(priceCheck());
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("--smt2"));
}

} // namespace
} // namespace symbiosis
