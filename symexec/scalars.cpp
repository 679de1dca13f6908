#include "symexec/scalars.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

ExprId ScalarMath::exprOf(const Scalar& value, unsigned width) {
  if (!value.known && !value.isSymbolic()) return unknown(width, Unknowns::input).expr;
  return value.isSymbolic() ? value.expr : context_.exprs.constant(value.bits, width);
}

Scalar ScalarMath::fromExpr(ExprId expr, uint64_t bits, bool known) {
  if (context_.exprs.isConstant(expr)) return {.bits = context_.exprs.constantValue(expr)};
  return {.bits = bits, .expr = expr, .known = known};
}

Scalar ScalarMath::pick(const Scalar& condition, const Scalar& then, const Scalar& otherwise, unsigned width) {
  Scalar chosen = condition.bits & 1 ? then : otherwise;
  if (!condition.isSymbolic()) return condition.known ? chosen : Scalar{.known = false};
  return fromExpr(context_.exprs.ite(condition.expr, exprOf(then, width), exprOf(otherwise, width)), chosen.bits,
                  condition.known && chosen.known);
}

Scalar ScalarMath::binary(ExprOp op, Scalar a, Scalar b, unsigned width) {
  const bool known = a.known && b.known;
  const ExprNode node{.op = op, .width = uint8_t(isComparison(op) ? 1 : width)};
  const uint64_t bits = applyOp(node, width, a.bits & maskOf(width), b.bits & maskOf(width), 0);
  if (!a.isSymbolic() && !b.isSymbolic()) return {.bits = bits, .known = known};
  return fromExpr(context_.exprs.binary(op, exprOf(a, width), exprOf(b, width)), bits, known);
}

Scalar ScalarMath::widen(Scalar value, unsigned from, unsigned to, bool isSigned) {
  if (to == from) return value;
  const uint64_t bits =
      (isSigned ? uint64_t(signExtend(value.bits, from)) : value.bits & maskOf(from)) & maskOf(to);
  if (!value.isSymbolic()) return {.bits = bits, .known = value.known};
  ExprId expr = isSigned ? context_.exprs.sext(value.expr, to) : context_.exprs.zext(value.expr, to);
  return fromExpr(expr, bits, value.known);
}

Scalar ScalarMath::narrow(Scalar value, unsigned to) {
  if (!value.isSymbolic()) return {.bits = value.bits & maskOf(to), .known = value.known};
  if (context_.exprs.width(value.expr) == to) return value;
  return fromExpr(context_.exprs.extract(value.expr, 0, to), value.bits & maskOf(to), value.known);
}

// What the expression is made of by adding and multiplying constants.
static ExprId withoutConstants(const ExprPool& exprs, ExprId id) {
  for (;;) {
    const ExprNode& node = exprs.node(id);
    const bool isWider = node.op == ExprOp::zext || node.op == ExprOp::sext;
    const bool isMoved =
        (node.op == ExprOp::add || node.op == ExprOp::sub || node.op == ExprOp::mul) && exprs.isConstant(node.b);
    if (!isWider && !isMoved) return id;
    id = node.a;
  }
}

Scalar ScalarMath::asFixed(const Scalar& value) {
  if (!value.isSymbolic() || !value.known || fixed_.empty()) return value;
  if (!fixed_.contains(value.expr)) {
    if (!fixed_.contains(withoutConstants(context_.exprs, value.expr))) return value;
    fixed_.insert(value.expr);
  }
  return {.bits = value.bits};
}

void ScalarMath::fixAddress(const Scalar& pointer) {
  const ExprPool& exprs = context_.exprs;
  std::vector<ExprId> open{pointer.expr};
  bool isKnown = true;
  while (!open.empty()) {
    const ExprId term = withoutConstants(exprs, open.back());
    open.pop_back();
    const ExprNode node = exprs.node(term);
    if (node.op == ExprOp::add) {
      open.push_back(node.a);
      open.push_back(node.b);
      continue;
    }
    if (exprs.isConstant(term)) continue;
    const std::optional<uint64_t> observed = context_.observed.of(term);
    isKnown = isKnown && observed;
    if (observed) concrete({.bits = *observed, .expr = term}, exprs.width(term));
  }
  if (!isKnown) concrete(pointer, 64);
  fixed_.insert(pointer.expr);
}

// The first walk has no expressions.
Scalar ScalarMath::unknown(unsigned width, Unknowns::Kind kind) {
  if (context_.discovering) return {.known = false};
  const uint32_t symbol = context_.newSymbol(std::nullopt);
  context_.unknowns.add(symbol, kind);
  return {.expr = context_.exprs.symbol(symbol, width), .known = false};
}

uint64_t ScalarMath::concrete(const Scalar& value, unsigned width) {
  if (!value.known) {
    lost_ = true;
    return 0;
  }
  if (value.isSymbolic()) {
    ExprPool& exprs = context_.exprs;
    events_.addCondition(exprs.binary(ExprOp::eq, value.expr, exprs.constant(value.bits, exprs.width(value.expr))),
                         false, stack_.instruction());
    if (context_.isLong) fixed_.insert(value.expr);
  }
  return value.bits & maskOf(width);
}

uint64_t ScalarMath::required(const Scalar& value) {
  if (value.known) return concrete(value, 64);
  if (context_.level != format::Level::path) stack_.fail("an address is not known", stack_.instruction());
  addressUnknown();
}

uint64_t ScalarMath::requiredAddress(const Scalar& pointer) {
  constexpr uint64_t kFirst = 4096; // nothing is below
  if (context_.level == format::Level::path && pointer.known && pointer.bits < kFirst) addressUnknown();
  return required(pointer);
}

void ScalarMath::addressUnknown() const {
  throw NotRecorded(
      fmt::format("thread {}: level path does not tell which address is meant {}; profile again with "
                  "--record addresses",
                  stack_.threadId(), stack_.lineOf(stack_.instruction())));
}

} // namespace symbiosis
