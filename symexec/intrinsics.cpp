// Intrinsics: floating-point functions, arithmetic with overflow, bit tricks, copies.
#include "symexec/executor.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

static double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

bool ThreadExecutor::floatIntrinsic(const Step& step, const IntrinsicInst& call) {
  Type* element = call.getType()->getScalarType();
  if (!element->isFloatTy() && !element->isDoubleTy()) return false;
  using Function1 = double (*)(double);
  Function1 one = nullptr;
  switch (call.getIntrinsicID()) {
  case Intrinsic::sqrt: one = std::sqrt; break;
  case Intrinsic::fabs: one = std::fabs; break;
  case Intrinsic::floor: one = std::floor; break;
  case Intrinsic::ceil: one = std::ceil; break;
  case Intrinsic::trunc: one = std::trunc; break;
  case Intrinsic::rint:
  case Intrinsic::nearbyint: one = std::nearbyint; break;
  case Intrinsic::round: one = std::round; break;
  case Intrinsic::sin: one = std::sin; break;
  case Intrinsic::cos: one = std::cos; break;
  case Intrinsic::exp: one = std::exp; break;
  case Intrinsic::exp2: one = std::exp2; break;
  case Intrinsic::log: one = std::log; break;
  case Intrinsic::log2: one = std::log2; break;
  case Intrinsic::log10: one = std::log10; break;
  case Intrinsic::pow:
  case Intrinsic::fmuladd:
  case Intrinsic::fma:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum: break;
  default: return false;
  }
  const bool single = element->isFloatTy();
  const unsigned width = single ? 32 : 64;
  for (size_t lane = 0; lane < layoutOf(call.getType()).size(); ++lane) {
    double x[3] = {};
    for (unsigned i = 0; i < std::min<unsigned>(call.arg_size(), 3); ++i) {
      const uint64_t bits = concrete(operand(step, i)[lane], width);
      x[i] = single ? double(std::bit_cast<float>(uint32_t(bits))) : asDouble(bits);
    }
    double value;
    if (one)
      value = one(x[0]);
    else if (call.getIntrinsicID() == Intrinsic::pow)
      value = single ? double(std::pow(float(x[0]), float(x[1]))) : std::pow(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::copysign)
      value = std::copysign(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::minnum)
      value = std::fmin(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::maxnum)
      value = std::fmax(x[0], x[1]);
    else if (call.getIntrinsicID() == Intrinsic::fma)
      value = single ? double(std::fma(float(x[0]), float(x[1]), float(x[2]))) : std::fma(x[0], x[1], x[2]);
    else // fmuladd: two roundings on x86-64 without FMA
      value = single ? double(float(float(x[0]) * float(x[1])) + float(x[2])) : x[0] * x[1] + x[2];
    result(step)[lane] = {.bits = single ? std::bit_cast<uint32_t>(float(value)) : std::bit_cast<uint64_t>(value)};
  }
  return true;
}

void ThreadExecutor::overflowIntrinsic(const Step& step, const IntrinsicInst& call) {
  const auto& with = cast<WithOverflowInst>(call);
  Type* type = with.getLHS()->getType();
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) fail("overflow arithmetic of this width", &call);
  const unsigned width = type->getIntegerBitWidth();
  const Scalar a = *operand(step, 0), b = *operand(step, 1);
  const bool isSigned = with.isSigned();
  const ExprOp op = with.getBinaryOp() == Instruction::Add   ? ExprOp::add
                    : with.getBinaryOp() == Instruction::Sub ? ExprOp::sub
                                                             : ExprOp::mul;
  const Scalar value = binary(op, a, b, width);
  Scalar overflow;
  if (width <= 31 || (op != ExprOp::mul && width <= 63)) {
    // Compute with enough bits and see whether the short result says the same.
    const unsigned more = op == ExprOp::mul ? 2 * width : width + 1;
    const Scalar exact = binary(op, widen(a, width, more, isSigned), widen(b, width, more, isSigned), more);
    overflow = binary(ExprOp::bitXor, binary(ExprOp::eq, exact, widen(value, width, more, isSigned), more),
                      {.bits = 1}, 1);
  } else if (op == ExprOp::mul) {
    const APInt x(width, concrete(a, width)), y(width, concrete(b, width));
    bool over = false;
    if (isSigned)
      (void)x.smul_ov(y, over);
    else
      (void)x.umul_ov(y, over);
    overflow = {.bits = over};
  } else if (!isSigned) {
    overflow = op == ExprOp::add ? binary(ExprOp::ult, value, a, width) : binary(ExprOp::ult, a, b, width);
  } else {
    // The sign of the result differs from both inputs' (a+b), or a and b differ and the result has not a's (a-b).
    const Scalar zero{};
    const Scalar mixed =
        op == ExprOp::add ? binary(ExprOp::bitXor, b, value, width) : binary(ExprOp::bitXor, a, b, width);
    overflow = binary(ExprOp::slt, binary(ExprOp::bitAnd, binary(ExprOp::bitXor, a, value, width), mixed, width),
                      zero, width);
  }
  result(step)[0] = value;
  result(step)[1] = overflow;
}

void ThreadExecutor::intrinsic(const Step& step, const IntrinsicInst& call) {
  if (const auto* copy = dyn_cast<MemTransferInst>(&call)) return copyMemory(step, *copy);
  if (const auto* fill = dyn_cast<MemSetInst>(&call)) return fillMemory(step, *fill);
  if (isa<WithOverflowInst>(call)) return overflowIntrinsic(step, call);
  if (call.getType()->isFPOrFPVectorTy() && floatIntrinsic(step, call)) return;
  const std::vector<ScalarLayout>& layout = layoutOf(call.getType());
  auto perLane = [&](auto&& compute) {
    for (size_t lane = 0; lane < layout.size(); ++lane) result(step)[lane] = compute(lane, layout[lane].bits);
  };
  auto pickOne = [&](ExprOp compare, bool firstIfTrue) {
    perLane([&](size_t lane, unsigned width) {
      const Scalar a = operand(step, 0)[lane], b = operand(step, 1)[lane];
      return pick(binary(compare, a, b, width), firstIfTrue ? a : b, firstIfTrue ? b : a, width);
    });
  };
  auto concretely = [&](auto&& compute) {
    perLane([&](size_t lane, unsigned width) {
      return Scalar{.bits = compute(concrete(operand(step, 0)[lane], width), width) & maskOf(width)};
    });
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::donothing:
  case Intrinsic::prefetch:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::sideeffect:
  case Intrinsic::stackrestore:
  case Intrinsic::vaend:
  case Intrinsic::var_annotation: return;
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap: ended_ = true; return;
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation: std::copy_n(operand(step, 0), layout.size(), result(step)); return;
  case Intrinsic::threadlocal_address:
    takeScalars(call.getType(), result(step));
    return fillThreadLocal(call.getArgOperand(0), result(step)->bits);
  case Intrinsic::umin: return pickOne(ExprOp::ult, true);
  case Intrinsic::umax: return pickOne(ExprOp::ult, false);
  case Intrinsic::smin: return pickOne(ExprOp::slt, true);
  case Intrinsic::smax: return pickOne(ExprOp::slt, false);
  case Intrinsic::abs:
    perLane([&](size_t lane, unsigned width) {
      const Scalar a = operand(step, 0)[lane], negative = binary(ExprOp::sub, {}, a, width);
      return pick(binary(ExprOp::slt, a, {}, width), negative, a, width);
    });
    return;
  case Intrinsic::ctpop: return concretely([](uint64_t x, unsigned) { return uint64_t(std::popcount(x)); });
  case Intrinsic::ctlz:
    return concretely([](uint64_t x, unsigned w) { return uint64_t(std::countl_zero(x)) - (64 - w); });
  case Intrinsic::cttz:
    return concretely([](uint64_t x, unsigned w) { return x ? uint64_t(std::countr_zero(x)) : w; });
  case Intrinsic::bswap:
    return concretely([](uint64_t x, unsigned w) { return __builtin_bswap64(x) >> (64 - w); });
  case Intrinsic::bitreverse:
    return concretely([](uint64_t x, unsigned w) {
      uint64_t out = 0;
      for (unsigned i = 0; i < w; ++i) out |= (x >> i & 1) << (w - 1 - i);
      return out;
    });
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    perLane([&](size_t lane, unsigned width) {
      const uint64_t high = concrete(operand(step, 0)[lane], width), low = concrete(operand(step, 1)[lane], width);
      const uint64_t by = concrete(operand(step, 2)[lane], width) % width;
      const APInt both = APInt(2 * width, high).shl(width) | APInt(2 * width, low);
      const APInt value =
          call.getIntrinsicID() == Intrinsic::fshl ? both.shl(unsigned(by)).lshr(width) : both.lshr(unsigned(by));
      return Scalar{.bits = value.trunc(width).getZExtValue()};
    });
    return;
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat:
    perLane([&](size_t lane, unsigned width) {
      const APInt a(width, concrete(operand(step, 0)[lane], width)),
          b(width, concrete(operand(step, 1)[lane], width));
      const auto id = call.getIntrinsicID();
      const APInt value = id == Intrinsic::uadd_sat   ? a.uadd_sat(b)
                          : id == Intrinsic::usub_sat ? a.usub_sat(b)
                          : id == Intrinsic::sadd_sat ? a.sadd_sat(b)
                                                      : a.ssub_sat(b);
      return Scalar{.bits = value.getZExtValue()};
    });
    return;
  case Intrinsic::is_constant: *result(step) = {.bits = 0, .known = false}; return;
  case Intrinsic::invariant_start:
  case Intrinsic::objectsize:
  case Intrinsic::eh_typeid_for:
  case Intrinsic::stacksave:
  case Intrinsic::frameaddress:
  case Intrinsic::returnaddress: *result(step) = {.bits = 0, .known = false}; return;
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor: {
    const std::vector<ScalarLayout>& lanes = layoutOf(call.getArgOperand(0)->getType());
    const auto id = call.getIntrinsicID();
    const ExprOp op = id == Intrinsic::vector_reduce_add   ? ExprOp::add
                      : id == Intrinsic::vector_reduce_mul ? ExprOp::mul
                      : id == Intrinsic::vector_reduce_and ? ExprOp::bitAnd
                      : id == Intrinsic::vector_reduce_or  ? ExprOp::bitOr
                                                           : ExprOp::bitXor;
    Scalar value = operand(step, 0)[0];
    for (size_t i = 1; i < lanes.size(); ++i) value = binary(op, value, operand(step, 0)[i], lanes[i].bits);
    *result(step) = value;
    return;
  }
  default:
    if (call.getType()->isVoidTy()) return;
    fail(fmt::format("the intrinsic {} is not supported", call.getCalledFunction()->getName().str()), &call);
  }
}

} // namespace symbiosis
