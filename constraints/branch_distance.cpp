#include "constraints/branch_distance.h"
#include "trace/floats.h"
#include <algorithm>
#include <cmath>

namespace symbiosis {

namespace {

class Distance {
public:
  Distance(const CompiledTrace& code, Execution& state) : code_(code), exprs_(code.trace.exprs), state_(state) {}

  double of(ExprId expr, bool wanted) {
    if ((valueOf(expr) != 0) == wanted) return 0;
    const ExprNode& node = exprs_.node(expr);
    switch (node.op) {
    case ExprOp::feq: return wanted ? scaled(gap(node)) : scaled(1);
    case ExprOp::eq:
      if (exprs_.width(node.a) > 1) return wanted ? scaled(gap(node)) : scaled(1);
      if (exprs_.isConstant(node.b)) return of(node.a, wanted == (exprs_.constantValue(node.b) != 0));
      if (exprs_.isConstant(node.a)) return of(node.b, wanted == (exprs_.constantValue(node.a) != 0));
      return scaled(1);
    case ExprOp::ult:
    case ExprOp::ule:
    case ExprOp::slt:
    case ExprOp::sle:
    case ExprOp::flt:
    case ExprOp::fle: return scaled(gap(node) + 1);
    case ExprOp::bitAnd: return joined(node, wanted, wanted);
    case ExprOp::bitOr: return joined(node, !wanted, wanted);
    case ExprOp::ite: return of(valueOf(node.a) != 0 ? node.b : node.c, wanted);
    default: return scaled(1);
    }
  }

private:
  uint64_t valueOf(ExprId expr) { return state_.value(code_.slotOf(expr)); }

  double gap(const ExprNode& node) {
    const unsigned width = exprs_.width(node.a);
    const bool isUnsigned = node.op == ExprOp::ult || node.op == ExprOp::ule;
    auto number = [&](ExprId expr) {
      if (takesFloats(node.op)) return toNumber(valueOf(expr), width);
      return isUnsigned ? double(valueOf(expr)) : double(signExtend(valueOf(expr), width));
    };
    const double distance = std::abs(number(node.a) - number(node.b));
    return distance < kFarthest ? distance : kFarthest; // also if it is not a number
  }
  // Both operands are needed, or one of them.
  double joined(const ExprNode& node, bool both, bool wanted) {
    const double a = of(node.a, wanted), b = of(node.b, wanted);
    return both ? (a + b) / 2 : std::min(a, b);
  }
  static constexpr double kFarthest = 1e19;
  static double scaled(double distance) {
    constexpr double kMost = 45; // above the logarithm of any distance
    return std::log1p(distance) / kMost;
  }

  const CompiledTrace& code_;
  const ExprPool& exprs_;
  Execution& state_;
};

} // namespace

double branchDistance(const CompiledTrace& code, Execution& state, ExprId expr, bool wanted) {
  return Distance(code, state).of(expr, wanted);
}

} // namespace symbiosis
