#include "trace/klee_export.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

const char* kqueryName(ExprOp op) {
  switch (op) {
  case ExprOp::add: return "Add";
  case ExprOp::sub: return "Sub";
  case ExprOp::mul: return "Mul";
  case ExprOp::udiv: return "UDiv";
  case ExprOp::sdiv: return "SDiv";
  case ExprOp::urem: return "URem";
  case ExprOp::srem: return "SRem";
  case ExprOp::bitAnd: return "And";
  case ExprOp::bitOr: return "Or";
  case ExprOp::bitXor: return "Xor";
  case ExprOp::shl: return "Shl";
  case ExprOp::lshr: return "LShr";
  case ExprOp::ashr: return "AShr";
  case ExprOp::eq: return "Eq";
  case ExprOp::ult: return "Ult";
  case ExprOp::ule: return "Ule";
  case ExprOp::slt: return "Slt";
  case ExprOp::sle: return "Sle";
  case ExprOp::ite: return "Select";
  case ExprOp::zext: return "ZExt";
  case ExprOp::sext: return "SExt";
  case ExprOp::concat: return "Concat";
  case ExprOp::extract: return "Extract";
  default: return nullptr;
  }
}

unsigned bytesOf(const SymbolInfo& symbol) { return (symbol.width + 7u) / 8; }

// Expressions are graphs: what is used again gets a label where it first stands. Without recursion, since an
// expression may be as deep as a loop is long.
class KQueryWriter {
public:
  explicit KQueryWriter(const SymbolicTrace& trace)
      : trace_(trace), uses_(trace.exprs.size(), 0), isWritten_(trace.exprs.size(), false) {
    for (const Condition& condition : trace.conditions) count(condition.expr);
    for (ExprId expr : trace.failure.bug) count(expr);
  }

  bool hasFloats() const {
    for (ExprId id = 1; id < uses_.size(); ++id) {
      const ExprOp op = trace_.exprs.node(id).op;
      if (uses_[id] > 0 && (takesFloats(op) || yieldsFloat(op))) return true;
    }
    return false;
  }

  std::string run() {
    for (uint32_t s = 0; s < trace_.symbols.size(); ++s)
      text_ += fmt::format("array s{}[{}] : w32 -> w8 = symbolic\n", s, bytesOf(trace_.symbols[s]));
    text_ += "(query [";
    for (const Condition& condition : trace_.conditions) {
      text_ += "\n  ";
      write(condition.expr);
    }
    text_ += "]\n  ";
    for (size_t i = 0; i + 1 < trace_.failure.bug.size(); ++i) {
      text_ += "(And w1 ";
      write(trace_.failure.bug[i]);
      text_ += " ";
    }
    if (trace_.failure.bug.empty())
      text_ += "true";
    else
      write(trace_.failure.bug.back());
    for (size_t i = 0; i + 1 < trace_.failure.bug.size(); ++i) text_ += ")";
    return text_ + ")\n";
  }

private:
  void count(ExprId root) {
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (uses_[id]++ > 0) continue;
      const ExprNode& node = trace_.exprs.node(id);
      for (ExprId operand : {node.a, node.b, node.c})
        if (operand != kNoExpr) open.push_back(operand);
    }
  }

  void write(ExprId root) {
    std::vector<ExprId> open{root}; // kNoExpr: close a bracket
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (id == kNoExpr) {
        text_ += ")";
        continue;
      }
      if (!text_.ends_with('(') && !text_.ends_with(' ')) text_ += " ";
      const ExprNode& node = trace_.exprs.node(id);
      if (node.op == ExprOp::constant) {
        text_ +=
            node.width == 1 ? (node.value ? "true" : "false") : fmt::format("(w{} {})", node.width, node.value);
        continue;
      }
      if (isWritten_[id]) {
        text_ += fmt::format("N{}", id);
        continue;
      }
      isWritten_[id] = true;
      if (uses_[id] > 1) text_ += fmt::format("N{}:", id);
      if (node.op == ExprOp::symbol) {
        writeSymbol(node);
        continue;
      }
      text_ += fmt::format("({} w{}", kqueryName(node.op), node.width);
      if (isComparison(node.op)) text_.resize(text_.rfind(' ')); // their width is that of a truth value
      if (node.op == ExprOp::extract) text_ += fmt::format(" {}", node.low);
      open.push_back(kNoExpr);
      for (ExprId operand : {node.c, node.b, node.a})
        if (operand != kNoExpr) open.push_back(operand);
    }
  }

  void writeSymbol(const ExprNode& node) {
    const unsigned whole = bytesOf(trace_.symbols[node.value]) * 8;
    if (node.width == whole)
      text_ += fmt::format("(ReadLSB w{} 0 s{})", whole, node.value);
    else
      text_ += fmt::format("({} w{} {}(ReadLSB w{} 0 s{}))", node.width < whole ? "Extract" : "ZExt", node.width,
                           node.width < whole ? "0 " : "", whole, node.value);
  }

  const SymbolicTrace& trace_;
  std::vector<uint32_t> uses_; // by expression
  std::vector<bool> isWritten_;
  std::string text_;
};

void appendNumber(std::string& out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += char(number >> shift);
}
void appendText(std::string& out, const std::string& text) {
  appendNumber(out, uint32_t(text.size()));
  out += text;
}

} // namespace

Result<std::string> toKQuery(const SymbolicTrace& trace) {
  KQueryWriter writer(trace);
  if (writer.hasFloats())
    return gaveUp("the path depends on floating-point values, and KQuery has no operators for them; export it as "
                  "SMT-LIB: --smt2");
  return writer.run();
}

std::string toKtest(const SymbolicTrace& trace, const std::vector<std::string>& command) {
  std::string out = "KTEST";
  appendNumber(out, 3);
  appendNumber(out, uint32_t(command.size()));
  for (const std::string& argument : command) appendText(out, argument);
  appendNumber(out, 0); // no symbolic arguments
  appendNumber(out, 0);
  uint32_t objects = 0;
  std::string body;
  for (uint32_t s = 0; s < trace.symbols.size(); ++s) {
    const SymbolInfo& symbol = trace.symbols[s];
    if (!symbol.observed) continue;
    ++objects;
    appendText(body, fmt::format("s{}", s));
    std::string bytes;
    for (unsigned i = 0; i < bytesOf(symbol); ++i) bytes += char(*symbol.observed >> (8 * i));
    appendText(body, bytes);
  }
  appendNumber(out, objects);
  return out + body;
}

} // namespace symbiosis
