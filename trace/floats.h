#pragma once
// Floating point in expressions: IEEE 754 numbers of 32 and 64 bits, rounded to nearest, as the program's
// processor computes them. Every operation whose result is not a number yields the same one, that of the processor
// (quietNan); so values never depend on which NaN it was, and Z3, which knows only one, can say the same.
// fneg and fabs change the sign bit alone.
#include "trace/expr.h"
#include <string>

namespace symbiosis {

enum class Rounding : uint8_t { toEven, awayFromZero, up, down, towardZero }; // of fround: to which whole number

constexpr bool isFloatWidth(unsigned width) { return width == 32 || width == 64; }
constexpr uint64_t signOfFloat(unsigned width) { return uint64_t{1} << (width - 1); }
constexpr uint64_t quietNan(unsigned width) { return width == 32 ? 0xffc00000 : 0xfff8000000000000; }

// Exact: a double holds every float.
double toNumber(uint64_t bits, unsigned width);

// The semantics of the operators that take or yield floats; see applyOp.
//   fmin, fmax    the other operand if one is not a number; b if both are equal
//   funo          one of both is not a number
//   ftosi, ftoui  toward zero; what does not fit gives the highest bit alone
uint64_t applyFloatOp(const ExprNode& node, unsigned operandWidth, uint64_t a, uint64_t b, uint64_t c);

// As few digits as tell it from its neighbours: "0.1", "3.0", "-inf", "nan".
std::string floatText(uint64_t bits, unsigned width);

} // namespace symbiosis
