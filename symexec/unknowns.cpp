#include "symexec/unknowns.h"

namespace symbiosis {

// For each expression whether a symbol in it has the property; operands come before their users.
template <typename Mask, typename OfSymbol>
static void extend(const ExprPool& exprs, std::vector<Mask>& masks, OfSymbol&& ofSymbol) {
  for (ExprId id = ExprId(masks.size()); id < exprs.size(); ++id) {
    const ExprNode& node = exprs.node(id);
    Mask mask = 0;
    if (id != kNoExpr && node.op == ExprOp::symbol) mask = ofSymbol(uint32_t(node.value));
    for (ExprId operand : {node.a, node.b, node.c})
      if (operand != kNoExpr) mask = Mask(mask | masks[operand]);
    masks.push_back(mask);
  }
}

unsigned Unknowns::kindsIn(ExprId expr) {
  if (expr >= masks_.size())
    extend(exprs_, masks_, [&](uint32_t symbol) {
      auto known = kinds_.find(symbol);
      return uint8_t(known == kinds_.end() ? read : known->second);
    });
  return masks_[expr];
}

void Unknowns::dropFixed(SymbolicTrace& trace) {
  if (kinds_.empty()) return;
  constexpr ThreadIndex kNobody = ~ThreadIndex{0};
  std::vector<ThreadIndex> owner(trace.cells.size(), kNobody);
  std::vector<uint8_t> moves(trace.cells.size()); // what it holds depends on the schedule
  for (const Event& event : trace.events)
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
      ThreadIndex& thread = owner[trace.parts[i].cell];
      moves[trace.parts[i].cell] |= thread != kNobody && thread != event.id.thread;
      thread = event.id.thread;
    }
  std::vector<uint32_t> cellOf(trace.symbols.size(), kNone);
  for (const Part& part : trace.parts)
    if (part.symbol != kNone) cellOf[part.symbol] = part.cell;
  std::vector<uint8_t> exprs;
  for (bool grows = true; grows;) {
    grows = false;
    exprs.clear();
    extend(exprs_, exprs, [&](uint32_t symbol) {
      const auto known = kinds_.find(symbol);
      const bool isInput = known != kinds_.end() && known->second == input;
      return uint8_t(!isInput && (symbol >= cellOf.size() || cellOf[symbol] == kNone || moves[cellOf[symbol]]));
    });
    for (const Part& part : trace.parts)
      if (part.written != kNoExpr && !moves[part.cell] &&
          (exprs[part.written] || (part.guard != kNoExpr && exprs[part.guard]))) // what is written, or whether
        moves[part.cell] = grows = true;
  }
  std::erase_if(trace.conditions, [&](const Condition& condition) { return !exprs[condition.expr]; });
}

std::optional<size_t> Unknowns::firstSpoiled(const SymbolicTrace& trace) {
  if (kinds_.empty()) return std::nullopt;
  std::vector<uint8_t> cells(trace.cells.size()), symbols(trace.symbols.size()), exprs;
  for (bool grows = true; grows;) {
    grows = false;
    exprs.clear();
    extend(exprs_, exprs, [&](uint32_t symbol) { return uint8_t(kinds_.contains(symbol) || symbols[symbol]); });
    for (const Part& part : trace.parts) {
      if (part.written != kNoExpr && exprs[part.written] && !cells[part.cell]) cells[part.cell] = grows = true;
      if (part.symbol != kNone && cells[part.cell] && !symbols[part.symbol]) symbols[part.symbol] = grows = true;
    }
  }
  for (size_t i = 0; i < trace.conditions.size(); ++i)
    if (exprs[trace.conditions[i].expr]) return i;
  for (ExprId bug : trace.failure.bug)
    if (exprs[bug]) return trace.conditions.size();
  return std::nullopt;
}

} // namespace symbiosis
