#include "trace/floats.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace symbiosis {

namespace {

template <typename Float> uint64_t bitsOf(Float number) {
  if (std::isnan(number)) return quietNan(sizeof(Float) * 8);
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<uint32_t>(number);
  else
    return std::bit_cast<uint64_t>(number);
}

template <typename Float> Float fromBits(uint64_t bits) {
  if constexpr (sizeof(Float) == 4)
    return std::bit_cast<float>(uint32_t(bits));
  else
    return std::bit_cast<double>(bits);
}

template <typename Float> Float rounded(Float x, Rounding how) {
  switch (how) {
  case Rounding::toEven: return std::nearbyint(x);
  case Rounding::awayFromZero: return std::round(x);
  case Rounding::up: return std::ceil(x);
  case Rounding::down: return std::floor(x);
  case Rounding::towardZero: return std::trunc(x);
  }
  return x;
}

template <typename Float> uint64_t toInteger(Float x, unsigned width, bool isSigned) {
  const Float whole = std::trunc(x), limit = std::ldexp(Float(1), int(isSigned ? width - 1 : width));
  if (!(whole < limit) || whole < (isSigned ? -limit : Float(0))) return signOfFloat(width);
  return (isSigned ? uint64_t(int64_t(whole)) : uint64_t(whole)) & maskOf(width);
}

// Operators whose operands are of type Float.
template <typename Float> uint64_t apply(const ExprNode& node, Float x, Float y, Float z) {
  switch (node.op) {
  case ExprOp::fadd: return bitsOf(x + y);
  case ExprOp::fsub: return bitsOf(x - y);
  case ExprOp::fmul: return bitsOf(x * y);
  case ExprOp::fdiv: return bitsOf(x / y);
  case ExprOp::fma: return bitsOf(std::fma(x, y, z));
  case ExprOp::fsqrt: return bitsOf(std::sqrt(x));
  case ExprOp::fmin: return bitsOf(std::isnan(y) || x < y ? x : y);
  case ExprOp::fmax: return bitsOf(std::isnan(y) || x > y ? x : y);
  case ExprOp::fround: return bitsOf(rounded(x, Rounding(node.low)));
  case ExprOp::feq: return x == y;
  case ExprOp::flt: return x < y;
  case ExprOp::fle: return x <= y;
  case ExprOp::funo: return std::isnan(x) || std::isnan(y);
  case ExprOp::fext: return bitsOf(double(x));
  case ExprOp::ftrunc: return bitsOf(float(x));
  case ExprOp::ftosi: return toInteger(x, node.width, true);
  case ExprOp::ftoui: return toInteger(x, node.width, false);
  default: break;
  }
  assert(!"every operator is computed here or in applyOp");
  return 0;
}

} // namespace

double toNumber(uint64_t bits, unsigned width) {
  return width == 32 ? double(fromBits<float>(bits)) : fromBits<double>(bits);
}

uint64_t applyFloatOp(const ExprNode& node, unsigned operandWidth, uint64_t a, uint64_t b, uint64_t c) {
  switch (node.op) {
  case ExprOp::fneg: return a ^ signOfFloat(node.width);
  case ExprOp::fabs: return a & ~signOfFloat(node.width);
  case ExprOp::sitof: {
    const int64_t number = signExtend(a, operandWidth);
    return node.width == 32 ? bitsOf(float(number)) : bitsOf(double(number));
  }
  case ExprOp::uitof: return node.width == 32 ? bitsOf(float(a)) : bitsOf(double(a));
  default: break;
  }
  return operandWidth == 32 ? apply(node, fromBits<float>(a), fromBits<float>(b), fromBits<float>(c))
                            : apply(node, fromBits<double>(a), fromBits<double>(b), fromBits<double>(c));
}

std::string floatText(uint64_t bits, unsigned width) {
  const double number = toNumber(bits, width);
  if (std::isnan(number)) return "nan"; // its sign says nothing
  std::string text = width == 32 ? fmt::format("{}", float(number)) : fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

} // namespace symbiosis
