#include "symexec/observed_values.h"

namespace symbiosis {

std::optional<uint64_t> ObservedValues::compute(const ExprNode& node) const {
  if (node.op == ExprOp::constant) return node.value;
  if (node.op == ExprOp::symbol) {
    const std::optional<uint64_t>& value = symbols_[node.value];
    return value ? std::optional(*value & maskOf(node.width)) : std::nullopt;
  }
  const std::optional<uint64_t>& a = values_[node.a];
  if (!a) return std::nullopt;
  if (node.op == ExprOp::ite) return values_[*a ? node.b : node.c];
  const std::optional<uint64_t>& b = values_[node.b ? node.b : node.a];
  if (!b) return std::nullopt;
  return applyOp(node, exprs_.width(node.a), *a, *b, 0);
}

// Operands come before their users.
std::optional<uint64_t> ObservedValues::of(ExprId expr) {
  if (values_.empty()) values_.emplace_back(); // of "no expression"
  for (ExprId id = ExprId(values_.size()); id <= expr; ++id) values_.push_back(compute(exprs_.node(id)));
  return values_[expr];
}

} // namespace symbiosis
