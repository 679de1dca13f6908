#include "trace/infix.h"
#include <fmt/format.h>

namespace symbiosis {

namespace {

const char* signOf(ExprOp op, bool negated) {
  switch (op) {
  case ExprOp::add: return "+";
  case ExprOp::sub: return "-";
  case ExprOp::mul: return "*";
  case ExprOp::udiv:
  case ExprOp::sdiv: return "/";
  case ExprOp::urem:
  case ExprOp::srem: return "%";
  case ExprOp::bitAnd: return "&";
  case ExprOp::bitOr: return "|";
  case ExprOp::bitXor: return "^";
  case ExprOp::shl: return "<<";
  case ExprOp::lshr:
  case ExprOp::ashr: return ">>";
  case ExprOp::eq: return negated ? "!=" : "==";
  case ExprOp::ult:
  case ExprOp::slt: return negated ? ">=" : "<";
  case ExprOp::ule:
  case ExprOp::sle: return negated ? ">" : "<=";
  default: return nullptr;
  }
}

bool isComparison(ExprOp op) {
  return op == ExprOp::eq || op == ExprOp::ult || op == ExprOp::ule || op == ExprOp::slt || op == ExprOp::sle;
}

class Infix {
public:
  explicit Infix(const SymbolicTrace& trace) : trace_(trace), exprs_(trace.exprs) {}

  std::string of(ExprId id, bool negated, bool isOperand) {
    const ExprNode& node = exprs_.node(id);
    if (node.op == ExprOp::constant) return ofConstant(node, negated);
    if (node.op == ExprOp::symbol) return (negated ? "!" : "") + ofSymbol(node);
    if (left_-- <= 0) return "…";
    if (const auto inner = negatedOperand(node)) return of(*inner, !negated, isOperand);
    // Widening and cutting change nothing that a reader of a message asks for.
    if (node.op == ExprOp::zext || node.op == ExprOp::sext || node.op == ExprOp::extract)
      return of(node.a, negated, isOperand);
    std::string text;
    if (const char* const sign = signOf(node.op, negated && isComparison(node.op)))
      text = fmt::format("{} {} {}", of(node.a, false, true), sign, of(node.b, false, true));
    else if (node.op == ExprOp::ite)
      text =
          fmt::format("{} ? {} : {}", of(node.a, false, true), of(node.b, false, true), of(node.c, false, true));
    else
      text = fmt::format("{}({}, {})", toText(node.op), of(node.a, false, false), of(node.b, false, false));
    const bool negates = negated && !isComparison(node.op);
    if (isOperand || negates) text = "(" + text + ")";
    return negates ? "!" + text : text;
  }

private:
  std::string ofConstant(const ExprNode& node, bool negated) const {
    if (node.width == 1) return (node.value != 0) != negated ? "true" : "false";
    return fmt::format("{}", signExtend(node.value, node.width));
  }
  std::string ofSymbol(const ExprNode& node) const {
    const SymbolInfo& symbol = trace_.symbols[node.value];
    if (symbol.event == kNoEvent) return "an initial value that is not known";
    const Event& read = trace_.event(symbol.event);
    if (!read.variable.empty()) return read.variable;
    return read.object == kNone || trace_.objects[read.object].name.empty() ? "memory"
                                                                            : trace_.objects[read.object].name;
  }
  // x ^ 1 and x == 0 of one bit.
  std::optional<ExprId> negatedOperand(const ExprNode& node) const {
    if (node.b == kNoExpr || exprs_.width(node.a) != 1 || !exprs_.isConstant(node.b)) return std::nullopt;
    const bool value = exprs_.constantValue(node.b) != 0;
    if (node.op == ExprOp::bitXor && value) return node.a;
    if (node.op == ExprOp::eq && !value) return node.a;
    return std::nullopt;
  }

  const SymbolicTrace& trace_;
  const ExprPool& exprs_;
  int left_ = 30; // operators that may still be written
};

} // namespace

std::string toInfix(const SymbolicTrace& trace, ExprId expr) { return Infix(trace).of(expr, false, false); }

} // namespace symbiosis
