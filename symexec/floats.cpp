// Floating point. Floats of 32 and 64 bits are computed as expressions say it (trace/floats.h), symbolically where
// an operand is; so are the functions that a processor has an instruction for. Other floats (half, long double)
// and the rest of libm are computed concretely: a symbolic operand is fixed to its value by a condition.
#include "trace/floats.h"
#include "symexec/arithmetic.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/IR/IntrinsicInst.h"
#include <bit>
#include <cmath>

using namespace llvm;

namespace symbiosis {

static bool isExpressible(const Type* type) { return type->isFloatTy() || type->isDoubleTy(); }
static unsigned widthOf(const Type* type) { return type->isFloatTy() ? 32 : 64; }

APFloat Arithmetic::toFloat(const Scalar* words, Type* type) {
  return APFloat(type->getFltSemantics(), Arithmetic::wide(words, type->getPrimitiveSizeInBits().getFixedValue()));
}

static void fromFloat(const APFloat& value, Scalar* out, size_t words) {
  const APInt bits = value.bitcastToAPInt();
  for (size_t i = 0; i < words; ++i) out[i] = {.bits = bits.getRawData()[i]};
}

Scalar Arithmetic::unaryFloat(ExprOp op, const Scalar& a, unsigned from, unsigned to, unsigned low) {
  const ExprNode node{.op = op, .width = uint8_t(to), .low = uint8_t(low)};
  const uint64_t bits = applyOp(node, from, a.bits & maskOf(from), 0, 0);
  if (!a.isSymbolic()) return {.bits = bits, .known = a.known};
  return fromExpr(context_.exprs.unaryFloat(op, a.expr, to, low), bits, a.known);
}

// All predicates are made of ==, < and <= of numbers, and of "one of both is not a number".
Scalar Arithmetic::compareFloats(FCmpInst::Predicate predicate, const Scalar& a, const Scalar& b, unsigned width) {
  auto test = [&](ExprOp op, const Scalar& x, const Scalar& y) { return binary(op, x, y, width); };
  auto negated = [&](const Scalar& x) { return binary(ExprOp::bitXor, x, {.bits = 1}, 1); };
  auto eitherOf = [&](const Scalar& x, const Scalar& y) { return binary(ExprOp::bitOr, x, y, 1); };
  switch (predicate) {
  case FCmpInst::FCMP_FALSE: return {};
  case FCmpInst::FCMP_OEQ: return test(ExprOp::feq, a, b);
  case FCmpInst::FCMP_OGT: return test(ExprOp::flt, b, a);
  case FCmpInst::FCMP_OGE: return test(ExprOp::fle, b, a);
  case FCmpInst::FCMP_OLT: return test(ExprOp::flt, a, b);
  case FCmpInst::FCMP_OLE: return test(ExprOp::fle, a, b);
  case FCmpInst::FCMP_ONE: return eitherOf(test(ExprOp::flt, a, b), test(ExprOp::flt, b, a));
  case FCmpInst::FCMP_UNO: return test(ExprOp::funo, a, b);
  default: return negated(compareFloats(FCmpInst::getInversePredicate(predicate), a, b, width));
  }
}

static std::optional<ExprOp> floatOp(unsigned opcode) {
  switch (opcode) {
  case Instruction::FAdd: return ExprOp::fadd;
  case Instruction::FSub: return ExprOp::fsub;
  case Instruction::FMul: return ExprOp::fmul;
  case Instruction::FDiv: return ExprOp::fdiv;
  default: return std::nullopt;
  }
}

void Arithmetic::floatOperation(const Step& step) {
  const Instruction& instruction = *step.instruction;
  Type* element = instruction.getOperand(0)->getType()->getScalarType();
  const std::optional<ExprOp> op = floatOp(instruction.getOpcode());
  const auto* compare = dyn_cast<FCmpInst>(&instruction);
  const bool negates = instruction.getOpcode() == Instruction::FNeg;
  if (!isExpressible(element) || !(op || compare || negates)) return otherFloatOperation(step);
  const unsigned width = widthOf(element);
  for (size_t lane = 0; lane < layoutOf(instruction.getType()).size(); ++lane) {
    const Scalar a = operand(step, 0)[lane];
    result(step)[lane] = negates   ? unaryFloat(ExprOp::fneg, a, width, width)
                         : compare ? compareFloats(compare->getPredicate(), a, operand(step, 1)[lane], width)
                                   : binary(*op, a, operand(step, 1)[lane], width);
  }
}

void Arithmetic::otherFloatOperation(const Step& step) {
  const Instruction& instruction = *step.instruction;
  Type* element = instruction.getOperand(0)->getType()->getScalarType();
  const size_t words = layoutOf(element).size();
  const size_t lanes = layoutOf(instruction.getOperand(0)->getType()).size() / words;
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (unsigned side = 0; side < instruction.getNumOperands(); ++side)
      for (size_t i = 0; i < words; ++i) concrete(operand(step, side)[lane * words + i], 64);
    APFloat a = toFloat(operand(step, 0) + lane * words, element);
    if (instruction.getOpcode() == Instruction::FNeg) {
      a.changeSign();
      fromFloat(a, result(step) + lane * words, words);
      continue;
    }
    const APFloat b = toFloat(operand(step, 1) + lane * words, element);
    if (const auto* compare = dyn_cast<FCmpInst>(&instruction)) {
      result(step)[lane] = {.bits = FCmpInst::compare(a, b, compare->getPredicate())};
      continue;
    }
    constexpr auto nearest = APFloat::rmNearestTiesToEven;
    switch (instruction.getOpcode()) {
    case Instruction::FAdd: a.add(b, nearest); break;
    case Instruction::FSub: a.subtract(b, nearest); break;
    case Instruction::FMul: a.multiply(b, nearest); break;
    case Instruction::FDiv: a.divide(b, nearest); break;
    case Instruction::FRem: a.mod(b); break;
    default: fail("a floating-point operation that is not supported", &instruction);
    }
    fromFloat(a, result(step) + lane * words, words);
  }
}

// One lane of a conversion.
void Arithmetic::castFloat(const CastInst& cast, const Scalar* value, Scalar* target) {
  Type *from = cast.getSrcTy()->getScalarType(), *to = cast.getDestTy()->getScalarType();
  auto isOneScalar = [](Type* type) {
    return isExpressible(type) || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
  };
  if (!isOneScalar(from) || !isOneScalar(to)) return castOtherFloat(cast, value, target);
  const unsigned in = layoutOf(from)[0].bits, out = layoutOf(to)[0].bits;
  switch (cast.getOpcode()) {
  case Instruction::FPExt: *target = unaryFloat(ExprOp::fext, *value, in, out); return;
  case Instruction::FPTrunc: *target = unaryFloat(ExprOp::ftrunc, *value, in, out); return;
  case Instruction::SIToFP: *target = unaryFloat(ExprOp::sitof, *value, in, out); return;
  case Instruction::UIToFP: *target = unaryFloat(ExprOp::uitof, *value, in, out); return;
  case Instruction::FPToSI:
    *target = narrow(unaryFloat(ExprOp::ftosi, *value, in, out <= 32 ? 32 : 64), out);
    return;
  case Instruction::FPToUI: // as the processor does it: a number that does not fit loses its high bits
    *target = out == 64 ? unaryFloat(ExprOp::ftoui, *value, in, 64)
                        : narrow(unaryFloat(ExprOp::ftosi, *value, in, 64), out);
    return;
  default: fail("a conversion that is not supported", &cast);
  }
}

void Arithmetic::castOtherFloat(const CastInst& cast, const Scalar* value, Scalar* target) {
  Type *from = cast.getSrcTy()->getScalarType(), *to = cast.getDestTy()->getScalarType();
  const size_t inWords = layoutOf(from).size(), outWords = layoutOf(to).size();
  for (size_t i = 0; i < inWords; ++i) concrete(value[i], 64);
  bool lost = false;
  switch (cast.getOpcode()) {
  case Instruction::FPExt:
  case Instruction::FPTrunc: {
    APFloat number = toFloat(value, from);
    number.convert(to->getFltSemantics(), APFloat::rmNearestTiesToEven, &lost);
    fromFloat(number, target, outWords);
    break;
  }
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    APFloat number(to->getFltSemantics());
    number.convertFromAPInt(wide(value, from->getIntegerBitWidth()), cast.getOpcode() == Instruction::SIToFP,
                            APFloat::rmNearestTiesToEven);
    fromFloat(number, target, outWords);
    break;
  }
  case Instruction::FPToSI:
  case Instruction::FPToUI: {
    APSInt number(to->getIntegerBitWidth(), cast.getOpcode() == Instruction::FPToUI);
    toFloat(value, from).convertToInteger(number, APFloat::rmTowardZero, &lost);
    for (size_t i = 0; i < outWords; ++i) target[i] = {.bits = number.getRawData()[i]};
    break;
  }
  default: fail("a conversion that is not supported", &cast);
  }
}

// As libm computes it, in the type at hand: the sine of a float is not the rounded sine of a
// double.
template <typename Float> static std::optional<Float> libmFunction(Intrinsic::ID id, Float x, Float y) {
  switch (id) {
  case Intrinsic::sin: return std::sin(x);
  case Intrinsic::cos: return std::cos(x);
  case Intrinsic::tan: return std::tan(x);
  case Intrinsic::exp: return std::exp(x);
  case Intrinsic::exp2: return std::exp2(x);
  case Intrinsic::log: return std::log(x);
  case Intrinsic::log2: return std::log2(x);
  case Intrinsic::log10: return std::log10(x);
  case Intrinsic::pow: return std::pow(x, y);
  default: return std::nullopt;
  }
}

static std::optional<Rounding> roundingOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::floor: return Rounding::down;
  case Intrinsic::ceil: return Rounding::up;
  case Intrinsic::trunc: return Rounding::towardZero;
  case Intrinsic::round: return Rounding::awayFromZero;
  case Intrinsic::rint:
  case Intrinsic::roundeven:
  case Intrinsic::nearbyint: return Rounding::toEven;
  default: return std::nullopt;
  }
}

// Empty: no instruction of the processor, or not of these operands.
std::optional<Scalar> Arithmetic::floatInstruction(const IntrinsicInst& call, const Scalar* const* x,
                                                   unsigned width) {
  const Scalar a = *x[0];
  if (const std::optional<Rounding> how = roundingOf(call.getIntrinsicID()))
    return unaryFloat(ExprOp::fround, a, width, width, unsigned(*how));
  const Scalar sign{.bits = signOfFloat(width)};
  switch (call.getIntrinsicID()) {
  case Intrinsic::sqrt: return unaryFloat(ExprOp::fsqrt, a, width, width);
  case Intrinsic::fabs: return unaryFloat(ExprOp::fabs, a, width, width);
  case Intrinsic::minnum: return binary(ExprOp::fmin, a, *x[1], width);
  case Intrinsic::maxnum: return binary(ExprOp::fmax, a, *x[1], width);
  case Intrinsic::copysign:
    return binary(ExprOp::bitOr, unaryFloat(ExprOp::fabs, a, width, width),
                  binary(ExprOp::bitAnd, *x[1], sign, width), width);
  case Intrinsic::fma: return fusedMultiplyAdd(a, *x[1], *x[2], width);
  case Intrinsic::fmuladd: {
    // One rounding or two depends on the processor that the program was compiled for.
    const StringRef features = call.getFunction()->getFnAttribute("target-features").getValueAsString();
    if (features.contains("+fma")) return fusedMultiplyAdd(a, *x[1], *x[2], width);
    return binary(ExprOp::fadd, binary(ExprOp::fmul, a, *x[1], width), *x[2], width);
  }
  default: return std::nullopt;
  }
}

Scalar Arithmetic::fusedMultiplyAdd(const Scalar& a, const Scalar& b, const Scalar& c, unsigned width) {
  const uint64_t bits = applyOp({.op = ExprOp::fma, .width = uint8_t(width)}, width, a.bits, b.bits, c.bits);
  const bool known = a.known && b.known && c.known;
  if (!a.isSymbolic() && !b.isSymbolic() && !c.isSymbolic()) return {.bits = bits, .known = known};
  return fromExpr(context_.exprs.fusedMultiplyAdd(exprOf(a, width), exprOf(b, width), exprOf(c, width)), bits,
                  known);
}

bool Arithmetic::floatIntrinsic(const Step& step, const IntrinsicInst& call) {
  Type* element = call.getType()->getScalarType();
  if (!isExpressible(element)) return false;
  const unsigned width = widthOf(element), arguments = std::min<unsigned>(call.arg_size(), 3);
  for (size_t lane = 0; lane < layoutOf(call.getType()).size(); ++lane) {
    const Scalar* x[3] = {};
    for (unsigned i = 0; i < arguments; ++i) x[i] = operand(step, i) + lane;
    if (const std::optional<Scalar> value = floatInstruction(call, x, width)) {
      result(step)[lane] = *value;
      continue;
    }
    const Intrinsic::ID id = call.getIntrinsicID();
    if (!libmFunction<double>(id, 0, 0)) return false;
    uint64_t bits[2] = {};
    for (unsigned i = 0; i < std::min(arguments, 2u); ++i) bits[i] = concrete(*x[i], width);
    auto single = [&](int i) { return std::bit_cast<float>(uint32_t(bits[i])); };
    auto wide = [&](int i) { return std::bit_cast<double>(bits[i]); };
    result(step)[lane] = {.bits = width == 32 ? std::bit_cast<uint32_t>(*libmFunction(id, single(0), single(1)))
                                              : std::bit_cast<uint64_t>(*libmFunction(id, wide(0), wide(1)))};
  }
  return true;
}

// Which kind of float it is, by its bits: those without the sign grow from zero over infinity to the NaNs.
void Arithmetic::floatClass(const Step& step, const IntrinsicInst& call) {
  Type* type = call.getArgOperand(0)->getType()->getScalarType();
  if (!isExpressible(type)) fail("a test of floats of this width", &call);
  const unsigned mask = unsigned(cast<ConstantInt>(call.getArgOperand(1))->getZExtValue());
  const unsigned width = widthOf(type);
  const uint64_t smallestNormal = width == 32 ? 0x00800000 : 0x0010000000000000;
  const uint64_t infinity = width == 32 ? 0x7f800000 : 0x7ff0000000000000;
  const uint64_t quiet = infinity | smallestNormal / 2;
  struct Class {
    unsigned positive, negative;
    uint64_t first; // of the bits without the sign; the next class begins where this one ends
  };
  const Class classes[] = {{fcPosZero, fcNegZero, 0},
                           {fcPosSubnormal, fcNegSubnormal, 1},
                           {fcPosNormal, fcNegNormal, smallestNormal},
                           {fcPosInf, fcNegInf, infinity},
                           {fcSNan, fcSNan, infinity + 1},
                           {fcQNan, fcQNan, quiet}};
  for (size_t lane = 0; lane < layoutOf(call.getType()).size(); ++lane) {
    const Scalar value = operand(step, 0)[lane], size = unaryFloat(ExprOp::fabs, value, width, width);
    const Scalar isNegative = binary(ExprOp::slt, value, {}, width);
    const Scalar isPositive = binary(ExprOp::bitXor, isNegative, {.bits = 1}, 1);
    Scalar any{};
    for (size_t i = 0; i < std::size(classes); ++i) {
      const auto& [positive, negative, first] = classes[i];
      if (!(mask & (positive | negative))) continue;
      const uint64_t end = i + 1 < std::size(classes) ? classes[i + 1].first : signOfFloat(width);
      Scalar is =
          binary(ExprOp::ult, binary(ExprOp::sub, size, {.bits = first}, width), {.bits = end - first}, width);
      if (!(mask & positive)) is = binary(ExprOp::bitAnd, is, isNegative, 1);
      if (!(mask & negative)) is = binary(ExprOp::bitAnd, is, isPositive, 1);
      any = binary(ExprOp::bitOr, any, is, 1);
    }
    result(step)[lane] = any;
  }
}

} // namespace symbiosis
