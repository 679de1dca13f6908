#pragma once
// A second, slow and literal definition of the operators, after SMT-LIB's text: the one in trace/expr.cpp is
// compared with it.
#include "trace/expr.h"
#include <algorithm>

namespace symbiosis::testing {

using Wide = unsigned __int128;

inline Wide powerOfTwo(unsigned exponent) { return Wide{1} << exponent; }
inline bool isNegative(uint64_t bits, unsigned width) { return bits >> (width - 1) & 1; }
inline uint64_t negative(uint64_t bits, unsigned width) {
  return uint64_t((powerOfTwo(width) - bits) % powerOfTwo(width));
}
inline uint64_t magnitude(uint64_t bits, unsigned width) {
  return isNegative(bits, width) ? negative(bits, width) : bits;
}

// bvudiv and bvurem.
inline uint64_t divide(uint64_t a, uint64_t b, unsigned width) {
  return b == 0 ? uint64_t(powerOfTwo(width) - 1) : a / b;
}
inline uint64_t remainder(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }

inline bool signedLess(uint64_t a, uint64_t b, unsigned width) {
  if (isNegative(a, width) != isNegative(b, width)) return isNegative(a, width);
  return a < b;
}

// One bit at a time; `fill` enters from the left.
inline uint64_t shiftRight(uint64_t a, uint64_t by, unsigned width, bool fill) {
  for (uint64_t i = 0; i < std::min<uint64_t>(by, width); ++i)
    a = a / 2 + (fill ? uint64_t(powerOfTwo(width - 1)) : 0);
  return a;
}

// Operands have `width` bits, the result `resultWidth`; `low` as in ExprNode.
inline uint64_t reference(ExprOp op, unsigned width, unsigned resultWidth, unsigned low, uint64_t a, uint64_t b,
                          uint64_t c) {
  const Wide modulus = powerOfTwo(width);
  const bool differ = isNegative(a, width) != (b < modulus && isNegative(b, width));
  switch (op) {
  case ExprOp::constant:
  case ExprOp::symbol: return 0; // not operators
  case ExprOp::add: return uint64_t((Wide{a} + b) % modulus);
  case ExprOp::sub: return uint64_t((Wide{a} + modulus - b) % modulus);
  case ExprOp::mul: return uint64_t(Wide{a} * b % modulus);
  case ExprOp::udiv: return divide(a, b, width);
  case ExprOp::urem: return remainder(a, b);
  case ExprOp::sdiv: {
    const uint64_t quotient = divide(magnitude(a, width), magnitude(b, width), width);
    return differ ? negative(quotient, width) : quotient;
  }
  case ExprOp::srem: {
    const uint64_t rest = remainder(magnitude(a, width), magnitude(b, width));
    return isNegative(a, width) ? negative(rest, width) : rest;
  }
  case ExprOp::bitAnd: return a & b;
  case ExprOp::bitOr: return a | b;
  case ExprOp::bitXor: return a ^ b;
  case ExprOp::shl: return b >= width ? 0 : uint64_t(Wide{a} * powerOfTwo(unsigned(b)) % modulus);
  case ExprOp::lshr: return shiftRight(a, b, width, false);
  case ExprOp::ashr: return shiftRight(a, b, width, isNegative(a, width));
  case ExprOp::eq: return a == b;
  case ExprOp::ult: return a < b;
  case ExprOp::ule: return a < b || a == b;
  case ExprOp::slt: return signedLess(a, b, width);
  case ExprOp::sle: return signedLess(a, b, width) || a == b;
  case ExprOp::ite: return a == 1 ? b : c;
  case ExprOp::zext: return a;
  case ExprOp::sext: return isNegative(a, width) ? uint64_t(powerOfTwo(resultWidth) - modulus + a) : a;
  case ExprOp::extract: return uint64_t(Wide{a} / powerOfTwo(low) % powerOfTwo(resultWidth));
  case ExprOp::concat: return uint64_t(Wide{a} * powerOfTwo(low) + b);
  default: return 0; // floating point: floats_test.cpp, and compared with Z3's theory
  }
}

inline constexpr ExprOp kBinaryOps[] = {ExprOp::add,  ExprOp::sub,  ExprOp::mul,    ExprOp::udiv,  ExprOp::sdiv,
                                        ExprOp::urem, ExprOp::srem, ExprOp::bitAnd, ExprOp::bitOr, ExprOp::bitXor,
                                        ExprOp::shl,  ExprOp::lshr, ExprOp::ashr,   ExprOp::eq,    ExprOp::ult,
                                        ExprOp::ule,  ExprOp::slt,  ExprOp::sle};

} // namespace symbiosis::testing
