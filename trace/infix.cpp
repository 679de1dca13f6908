#include "trace/infix.h"
#include "trace/floats.h"
#include <fmt/format.h>

namespace symbiosis {

namespace {

const char* signOf(ExprOp op, bool negated) {
  switch (op) {
  case ExprOp::add:
  case ExprOp::fadd: return "+";
  case ExprOp::sub:
  case ExprOp::fsub: return "-";
  case ExprOp::mul:
  case ExprOp::fmul: return "*";
  case ExprOp::udiv:
  case ExprOp::sdiv:
  case ExprOp::fdiv: return "/";
  case ExprOp::urem:
  case ExprOp::srem: return "%";
  case ExprOp::bitAnd: return "&";
  case ExprOp::bitOr: return "|";
  case ExprOp::bitXor: return "^";
  case ExprOp::shl: return "<<";
  case ExprOp::lshr:
  case ExprOp::ashr: return ">>";
  case ExprOp::eq:
  case ExprOp::feq: return negated ? "!=" : "==";
  case ExprOp::ult:
  case ExprOp::slt:
  case ExprOp::flt: return negated ? ">=" : "<"; // of floats: or one is not a number
  case ExprOp::ule:
  case ExprOp::sle:
  case ExprOp::fle: return negated ? ">" : "<=";
  default: return nullptr;
  }
}

// How C calls it; null: it is not written as a call.
const char* functionOf(const ExprNode& node) {
  switch (node.op) {
  case ExprOp::fma: return "fma";
  case ExprOp::fsqrt: return "sqrt";
  case ExprOp::fmin: return "fmin";
  case ExprOp::fmax: return "fmax";
  case ExprOp::fabs: return "fabs";
  case ExprOp::funo: return "isunordered";
  case ExprOp::sitof:
  case ExprOp::uitof:
  case ExprOp::fext:
  case ExprOp::ftrunc: return node.width == 32 ? "float" : "double";
  case ExprOp::ftosi: return node.width == 32 ? "int" : "long";
  case ExprOp::ftoui: return "unsigned long";
  case ExprOp::concat: return "concat";
  case ExprOp::fround: break;
  default: return nullptr;
  }
  constexpr const char* kRoundings[] = {"rint", "round", "ceil", "floor", "trunc"};
  return kRoundings[node.low];
}

class Infix {
public:
  explicit Infix(const SymbolicTrace& trace) : trace_(trace), exprs_(trace.exprs) {}

  std::string of(ExprId id, bool negated, bool isOperand, bool isFloat = false) {
    const ExprNode& node = exprs_.node(id);
    if (node.op == ExprOp::constant)
      return isFloat ? floatText(node.value, node.width) : ofConstant(node, negated);
    if (node.op == ExprOp::symbol) return (negated ? "!" : "") + ofSymbol(node);
    if (left_-- <= 0) return "…";
    if (const auto inner = negatedOperand(node)) return of(*inner, !negated, isOperand);
    // Widening and cutting change nothing that a reader of a message asks for.
    if (node.op == ExprOp::zext || node.op == ExprOp::sext || node.op == ExprOp::extract)
      return of(node.a, negated, isOperand);
    // A constant is a float if what it stands beside is one.
    const bool floats = takesFloats(node.op) || isFloat || meansFloat(trace_, node.a) ||
                        (node.b != kNoExpr && meansFloat(trace_, node.b));
    std::string text;
    if (const char* const sign = signOf(node.op, negated && isComparison(node.op)))
      text = fmt::format("{} {} {}", of(node.a, false, true, floats), sign, of(node.b, false, true, floats));
    else if (node.op == ExprOp::ite)
      text = fmt::format("{} ? {} : {}", of(node.a, false, true), of(node.b, false, true, floats),
                         of(node.c, false, true, floats));
    else if (node.op == ExprOp::fneg)
      text = "-" + of(node.a, false, true, true);
    else
      return (negated ? "!" : "") + call(node);
    const bool negates = negated && !isComparison(node.op);
    if (isOperand || negates) text = "(" + text + ")";
    return negates ? "!" + text : text;
  }

private:
  std::string call(const ExprNode& node) {
    std::string text;
    for (ExprId operand : {node.a, node.b, node.c})
      if (operand != kNoExpr) text += (text.empty() ? "" : ", ") + of(operand, false, false, takesFloats(node.op));
    return fmt::format("{}({})", functionOf(node), text);
  }
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

std::string toInfix(const SymbolicTrace& trace, ExprId expr, bool isFloat) {
  return Infix(trace).of(expr, false, false, isFloat);
}

} // namespace symbiosis
