// Intrinsics (but those of floats: floats.cpp): arithmetic with overflow, bit tricks, copies.
#include "symexec/arithmetic.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

void Arithmetic::overflowIntrinsic(const Step& step, const IntrinsicInst& call) {
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

namespace {

struct Reduction {
  ExprOp op = ExprOp::add; // between two lanes; a comparison: the lane for which it holds with the other is taken
  bool takesGreater = false;
  bool hasStart = false; // the first operand is a scalar to begin with
};

std::optional<Reduction> reductionOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::vector_reduce_add: return Reduction{ExprOp::add};
  case Intrinsic::vector_reduce_mul: return Reduction{ExprOp::mul};
  case Intrinsic::vector_reduce_and: return Reduction{ExprOp::bitAnd};
  case Intrinsic::vector_reduce_or: return Reduction{ExprOp::bitOr};
  case Intrinsic::vector_reduce_xor: return Reduction{ExprOp::bitXor};
  case Intrinsic::vector_reduce_smin: return Reduction{ExprOp::slt};
  case Intrinsic::vector_reduce_smax: return Reduction{ExprOp::slt, true};
  case Intrinsic::vector_reduce_umin: return Reduction{ExprOp::ult};
  case Intrinsic::vector_reduce_umax: return Reduction{ExprOp::ult, true};
  case Intrinsic::vector_reduce_fadd: return Reduction{ExprOp::fadd, false, true};
  case Intrinsic::vector_reduce_fmul: return Reduction{ExprOp::fmul, false, true};
  case Intrinsic::vector_reduce_fmin: return Reduction{ExprOp::fmin};
  case Intrinsic::vector_reduce_fmax: return Reduction{ExprOp::fmax};
  default: return std::nullopt;
  }
}

} // namespace

// From the first lane to the last; of floats that may be added in any order, the processor may round otherwise.
bool Arithmetic::reduceVector(const Step& step, const IntrinsicInst& call) {
  const std::optional<Reduction> reduction = reductionOf(call.getIntrinsicID());
  if (!reduction) return false;
  const unsigned vector = reduction->hasStart ? 1 : 0;
  Type* element = call.getType();
  const bool isPlain =
      element->isIntegerTy() ? element->getIntegerBitWidth() <= 64 : element->isFloatTy() || element->isDoubleTy();
  if (!isPlain) fail("a reduction of a vector of this type", &call);
  const unsigned width = layoutOf(element)[0].bits;
  const size_t lanes = layoutOf(call.getArgOperand(vector)->getType()).size();
  Scalar value = *operand(step, 0);
  for (size_t i = reduction->hasStart ? 0 : 1; i < lanes; ++i) {
    const Scalar other = operand(step, vector)[i], combined = binary(reduction->op, value, other, width);
    if (!isComparison(reduction->op))
      value = combined;
    else
      value =
          pick(combined, reduction->takesGreater ? other : value, reduction->takesGreater ? value : other, width);
  }
  *result(step) = value;
  return true;
}

void Arithmetic::intrinsic(const Step& step, const IntrinsicInst& call) {
  if (isa<WithOverflowInst>(call)) return overflowIntrinsic(step, call);
  if (reduceVector(step, call)) return;
  if (call.getType()->isFPOrFPVectorTy() && floatIntrinsic(step, call)) return;
  if (call.getIntrinsicID() == Intrinsic::is_fpclass) return floatClass(step, call);
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
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation: std::copy_n(operand(step, 0), layout.size(), result(step)); return;
  case Intrinsic::umin: return pickOne(ExprOp::ult, true);
  case Intrinsic::umax: return pickOne(ExprOp::ult, false);
  case Intrinsic::smin: return pickOne(ExprOp::slt, true);
  case Intrinsic::smax: return pickOne(ExprOp::slt, false);
  case Intrinsic::scmp:
  case Intrinsic::ucmp: {
    const unsigned from = layoutOf(call.getArgOperand(0)->getType())[0].bits;
    const ExprOp less = call.getIntrinsicID() == Intrinsic::scmp ? ExprOp::slt : ExprOp::ult;
    perLane([&](size_t lane, unsigned width) {
      const Scalar a = operand(step, 0)[lane], b = operand(step, 1)[lane];
      return pick(binary(less, a, b, from), {.bits = maskOf(width)},
                  pick(binary(less, b, a, from), {.bits = 1}, {}, width), width);
    });
    return;
  }
  case Intrinsic::ptrmask:
    *result(step) = binary(ExprOp::bitAnd, *operand(step, 0), *operand(step, 1), 64);
    return;
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
  default:
    if (call.getType()->isVoidTy()) return;
    stack_.fail(fmt::format("the intrinsic {} is not supported", call.getCalledFunction()->getName().str()),
                &call);
  }
}

} // namespace symbiosis
