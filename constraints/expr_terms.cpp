#include "constraints/expr_terms.h"

namespace symbiosis {

z3::expr resized(const z3::expr& term, unsigned width) {
  const unsigned has = term.get_sort().bv_size();
  if (has == width) return term;
  return has > width ? term.extract(width - 1, 0) : z3::zext(term, width - has);
}

ExprTerms::ExprTerms(z3::context& context, const ExprPool& pool, std::function<z3::expr(uint32_t)> symbolTerm,
                     FloatsAs floats)
    : context_(context), pool_(pool), symbolTerm_(std::move(symbolTerm)), floats_(floats) {}

// Without recursion: an expression may be as deep as a loop is long.
z3::expr ExprTerms::term(ExprId root) {
  assert(root != kNoExpr);
  if (terms_.size() < pool_.size()) {
    terms_.resize(pool_.size());
    numbers_.resize(pool_.size());
  }
  std::vector<ExprId> pending{root};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    const ExprNode& node = pool_.node(id);
    const size_t depth = pending.size();
    if (!terms_[id])
      for (ExprId operand : {node.a, node.b, node.c})
        if (operand != kNoExpr && !terms_[operand]) pending.push_back(operand);
    if (pending.size() > depth) continue;
    if (!terms_[id]) terms_[id] = translate(id);
    pending.pop_back();
  }
  return known(root);
}

z3::expr ExprTerms::truth(ExprId id) {
  const ExprNode& node = pool_.node(id);
  term(id);
  if (isComparison(node.op)) return comparison(node);
  return known(id) != context_.bv_val(0, node.width);
}

z3::expr ExprTerms::comparison(const ExprNode& node) {
  if (takesFloats(node.op)) return floatComparison(node);
  const z3::expr &a = known(node.a), &b = known(node.b);
  switch (node.op) {
  case ExprOp::eq: return a == b;
  case ExprOp::ult: return z3::ult(a, b);
  case ExprOp::ule: return z3::ule(a, b);
  case ExprOp::slt: return z3::slt(a, b);
  default: return z3::sle(a, b);
  }
}

z3::expr ExprTerms::translate(ExprId id) {
  const ExprNode& node = pool_.node(id);
  if (node.op == ExprOp::constant) return context_.bv_val(node.value, node.width);
  if (node.op == ExprOp::symbol) return resized(symbolTerm_(uint32_t(node.value)), node.width);
  if (isComparison(node.op)) return z3::ite(comparison(node), context_.bv_val(1, 1), context_.bv_val(0, 1));
  if (takesFloats(node.op) || yieldsFloat(node.op)) return floatOperation(id, node);
  const z3::expr& a = known(node.a);
  const unsigned added = node.width - pool_.width(node.a); // zext, sext
  switch (node.op) {
  case ExprOp::zext: return z3::zext(a, added);
  case ExprOp::sext: return z3::sext(a, added);
  case ExprOp::extract: return a.extract(node.low + node.width - 1u, node.low);
  default: break;
  }
  const z3::expr& b = known(node.b);
  switch (node.op) {
  case ExprOp::add: return a + b;
  case ExprOp::sub: return a - b;
  case ExprOp::mul: return a * b;
  case ExprOp::udiv: return z3::udiv(a, b);
  case ExprOp::sdiv: return a / b;
  case ExprOp::urem: return z3::urem(a, b);
  case ExprOp::srem: return z3::srem(a, b);
  case ExprOp::bitAnd: return a & b;
  case ExprOp::bitOr: return a | b;
  case ExprOp::bitXor: return a ^ b;
  case ExprOp::shl: return z3::shl(a, b);
  case ExprOp::lshr: return z3::lshr(a, b);
  case ExprOp::ashr: return z3::ashr(a, b);
  case ExprOp::concat: return z3::concat(a, b);
  case ExprOp::ite: return z3::ite(a == context_.bv_val(1, 1), b, known(node.c));
  default: assert(!"every operator is translated above"); return a;
  }
}

} // namespace symbiosis
