// Floating point for Z3. Both directions must be functions: to_fp of bits is one, but fp.to_ieee_bv leaves open
// which bits a NaN has, fp.min which zero it takes and fp.to_sbv what becomes of numbers that do not fit. Here
// they are what trace/floats.h says, so that no model can differ from what the evaluator computes.
#include "constraints/expr_terms.h"
#include "trace/floats.h"
#include <cmath>

namespace symbiosis {

static z3::sort sortOf(z3::context& context, unsigned width) {
  return width == 32 ? context.fpa_sort<32>() : context.fpa_sort<64>();
}

static z3::expr made(z3::context& context, Z3_ast ast) {
  context.check_error();
  return z3::expr(context, ast);
}

z3::expr ExprTerms::rounding(unsigned how) {
  switch (Rounding(how)) {
  case Rounding::toEven: return made(context_, Z3_mk_fpa_round_nearest_ties_to_even(context_));
  case Rounding::awayFromZero: return made(context_, Z3_mk_fpa_round_nearest_ties_to_away(context_));
  case Rounding::up: return made(context_, Z3_mk_fpa_round_toward_positive(context_));
  case Rounding::down: return made(context_, Z3_mk_fpa_round_toward_negative(context_));
  case Rounding::towardZero: break;
  }
  return made(context_, Z3_mk_fpa_round_toward_zero(context_));
}

z3::expr ExprTerms::number(ExprId id) {
  if (!numbers_[id]) numbers_[id] = known(id).mk_from_ieee_bv(sortOf(context_, pool_.width(id)));
  return *numbers_[id];
}

z3::expr ExprTerms::floatOperation(ExprId id, const ExprNode& node) {
  const unsigned width = node.width;
  auto lessOr = [&](ExprId less, ExprId more) { // and the first where the second is not a number
    const z3::expr isLess = floatComparison({.op = ExprOp::flt, .a = less, .b = more});
    const z3::expr chosen = z3::ite(isNan(node.b) || isLess, known(node.a), known(node.b));
    return z3::ite(isNan(node.a) && isNan(node.b), context_.bv_val(quietNan(width), width), chosen);
  };
  switch (node.op) {
  case ExprOp::fneg: return known(node.a) ^ context_.bv_val(signOfFloat(width), width);
  case ExprOp::fabs: return known(node.a) & context_.bv_val(~signOfFloat(width), width);
  case ExprOp::fmin: return lessOr(node.a, node.b);
  case ExprOp::fmax: return lessOr(node.b, node.a);
  default: break;
  }
  if (floats_ == FloatsAs::functions) return function(id, node);
  if (node.op == ExprOp::ftosi || node.op == ExprOp::ftoui) return toInteger(node);
  const z3::expr result = inTheory(node);
  numbers_[id] = result;
  return z3::ite(result.mk_is_nan(), context_.bv_val(quietNan(width), width), result.mk_to_ieee_bv());
}

z3::expr ExprTerms::function(ExprId id, const ExprNode& node) {
  z3::expr_vector operands(context_);
  z3::sort_vector sorts(context_);
  for (ExprId operand : {node.a, node.b, node.c})
    if (operand != kNoExpr) {
      operands.push_back(known(operand));
      sorts.push_back(known(operand).get_sort());
    }
  const std::string name =
      std::string(toText(node.op)) + std::to_string(node.width) + "_" + std::to_string(node.low);
  const z3::func_decl declared =
      context_.function(context_.str_symbol(name.c_str()), sorts, context_.bv_sort(node.width));
  computed_.push_back({id, declared});
  return declared(operands);
}

bool ExprTerms::accept(const z3::model& model, const std::function<void(const z3::expr&)>& require) {
  auto valueOf = [&](ExprId id) { return model.eval(known(id), true).get_numeral_uint64(); };
  bool isRight = true;
  for (const Computed& computed : computed_) {
    const ExprNode& node = pool_.node(computed.id);
    uint64_t values[3] = {};
    z3::expr_vector arguments(context_);
    size_t count = 0;
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand == kNoExpr) continue;
      values[count] = valueOf(operand);
      arguments.push_back(context_.bv_val(values[count++], pool_.width(operand)));
    }
    const uint64_t right = applyOp(node, pool_.width(node.a), values[0], values[1], values[2]);
    if (valueOf(computed.id) == right) continue;
    require(computed.function(arguments) == context_.bv_val(right, node.width));
    isRight = false;
  }
  return isRight;
}

z3::expr ExprTerms::isNan(ExprId id) {
  const unsigned width = pool_.width(id);
  const uint64_t infinity = width == 32 ? 0x7f800000 : 0x7ff0000000000000;
  const z3::expr withoutSign = known(id) & context_.bv_val(~signOfFloat(width), width);
  return z3::ugt(withoutSign, context_.bv_val(infinity, width));
}

// Numbers of one sign are ordered like their bits, negative ones the other way round; the two zeros are equal.
z3::expr ExprTerms::floatComparison(const ExprNode& node) {
  const z3::expr eitherIsNan = isNan(node.a) || isNan(node.b);
  if (node.op == ExprOp::funo) return eitherIsNan;
  const unsigned width = pool_.width(node.a);
  const z3::expr zero = context_.bv_val(0, width), sign = context_.bv_val(signOfFloat(width), width);
  auto ordered = [&](const z3::expr& bits) { return z3::ite(bits < zero, sign - bits, bits); };
  const z3::expr a = ordered(known(node.a)), b = ordered(known(node.b));
  const z3::expr holds = node.op == ExprOp::feq ? a == b : node.op == ExprOp::flt ? a < b : a <= b;
  return !eitherIsNan && holds;
}

z3::expr ExprTerms::inTheory(const ExprNode& node) {
  const z3::expr nearest = rounding(unsigned(Rounding::toEven));
  const z3::sort sort = sortOf(context_, node.width);
  switch (node.op) {
  case ExprOp::sitof: return made(context_, Z3_mk_fpa_to_fp_signed(context_, nearest, known(node.a), sort));
  case ExprOp::uitof: return made(context_, Z3_mk_fpa_to_fp_unsigned(context_, nearest, known(node.a), sort));
  default: break;
  }
  const z3::expr a = number(node.a);
  switch (node.op) {
  case ExprOp::fext:
  case ExprOp::ftrunc: return made(context_, Z3_mk_fpa_to_fp_float(context_, nearest, a, sort));
  case ExprOp::fsqrt: return made(context_, Z3_mk_fpa_sqrt(context_, nearest, a));
  case ExprOp::fround: return made(context_, Z3_mk_fpa_round_to_integral(context_, rounding(node.low), a));
  default: break;
  }
  const z3::expr b = number(node.b);
  switch (node.op) {
  case ExprOp::fadd: return made(context_, Z3_mk_fpa_add(context_, nearest, a, b));
  case ExprOp::fsub: return made(context_, Z3_mk_fpa_sub(context_, nearest, a, b));
  case ExprOp::fmul: return made(context_, Z3_mk_fpa_mul(context_, nearest, a, b));
  case ExprOp::fdiv: return made(context_, Z3_mk_fpa_div(context_, nearest, a, b));
  case ExprOp::fma: return made(context_, Z3_mk_fpa_fma(context_, nearest, a, b, number(node.c)));
  default: assert(!"every operator is translated above"); return a;
  }
}

z3::expr ExprTerms::toInteger(const ExprNode& node) {
  const bool isSigned = node.op == ExprOp::ftosi;
  const z3::expr towardZero = rounding(unsigned(Rounding::towardZero));
  const z3::expr whole = made(context_, Z3_mk_fpa_round_to_integral(context_, towardZero, number(node.a)));
  auto power = [&](int exponent) {
    const double value = std::ldexp(1.0, exponent);
    return pool_.width(node.a) == 32 ? context_.fpa_val(float(value)) : context_.fpa_val(value);
  };
  const z3::expr limit = power(int(isSigned ? node.width - 1 : node.width));
  const z3::expr least = isSigned ? -limit : made(context_, Z3_mk_fpa_zero(context_, whole.get_sort(), false));
  const z3::expr integer = made(context_, isSigned ? Z3_mk_fpa_to_sbv(context_, towardZero, whole, node.width)
                                                   : Z3_mk_fpa_to_ubv(context_, towardZero, whole, node.width));
  return z3::ite(whole < limit && whole >= least, integer, context_.bv_val(signOfFloat(node.width), node.width));
}

} // namespace symbiosis
