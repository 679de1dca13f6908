#include "trace/compiled_trace.h"
#include "trace/sync_model.h"
#include "trace/sync_pairing.h"
#include <algorithm>

namespace symbiosis {

CompiledTrace::CompiledTrace(const SymbolicTrace& trace_) : trace(trace_), ending(trace_) {
  SyncPairing pairing = pairSync(trace);
  partner = std::move(pairing.partner);
  impossible = std::move(pairing.impossible);
  compileExpressions();
  compileConditions();
  compileEvents();
}

Slot CompiledTrace::addConstant(uint64_t value) {
  initialValues.push_back(value);
  isLate_.push_back(false);
  decidedAt_.push_back(kNoEvent);
  return Slot(initialValues.size() - 1);
}

std::vector<bool> CompiledTrace::neededExpressions() const {
  std::vector<bool> needed(trace.exprs.size(), false);
  for (const Part& part : trace.parts) needed[part.written] = needed[part.guard] = true;
  for (const Condition& condition : trace.conditions) needed[condition.expr] = true;
  for (const Cell& cell : trace.cells) needed[cell.initial] = true;
  for (ExprId expr : trace.failure.bug) needed[expr] = true;
  needed[kNoExpr] = false;
  for (ExprId id = ExprId(needed.size()); id-- > 1;) {
    if (!needed[id]) continue;
    const ExprNode& node = trace.exprs.node(id);
    for (ExprId operand : {node.a, node.b, node.c})
      if (operand != kNoExpr) needed[operand] = true;
  }
  return needed;
}

// The bits that a symbol may have; those of its cell, unless somebody gives the cell more than fits.
std::vector<uint8_t> CompiledTrace::symbolWidths() const {
  std::vector<uint8_t> ofCell, ofSymbol(trace.symbols.size(), 64);
  for (const Cell& cell : trace.cells)
    ofCell.push_back(uint8_t(std::max(cell.size * 8u, trace.exprs.width(cell.initial))));
  for (const Part& part : trace.parts)
    if (part.written != kNoExpr && trace.exprs.width(part.written) > ofCell[part.cell]) ofCell[part.cell] = 64;
  for (const Cell& cell : trace.cells)
    if (trace.exprs.node(cell.initial).op == ExprOp::symbol) ofCell[size_t(&cell - trace.cells.data())] = 64;
  for (const Part& part : trace.parts)
    if (part.symbol != kNone) ofSymbol[part.symbol] = ofCell[part.cell];
  return ofSymbol;
}

// Slots: the symbols first, then the expressions in the order of their ids, operands before users.
void CompiledTrace::compileExpressions() {
  const std::vector<bool> needed = neededExpressions();
  slots_.assign(trace.exprs.size(), kNone);
  for (const SymbolInfo& symbol : trace.symbols) {
    initialValues.push_back(symbol.event == kNoEvent ? symbol.observed.value_or(0) : 0);
    decidedAt_.push_back(symbol.event);
    isLate_.push_back(false);
  }
  const std::vector<uint8_t> symbolWidth = symbolWidths();

  std::vector<std::pair<EventRef, CompiledOperation>> dated;
  for (ExprId id = 1; id < needed.size(); ++id) {
    if (!needed[id]) continue;
    const ExprNode& node = trace.exprs.node(id);
    if (node.op == ExprOp::symbol && node.width == symbolWidth[node.value]) {
      slots_[id] = slotOfSymbol(uint32_t(node.value));
      continue;
    }
    const Slot slot = slots_[id] = Slot(initialValues.size());
    initialValues.push_back(node.op == ExprOp::constant ? node.value : 0);
    EventRef decided = kNoEvent;
    bool isLate = false;
    CompiledOperation operation{node, node.width, 0, 0, 0, slot};
    auto use = [&](Slot operand) {
      const EventRef other = decidedAt_[operand];
      isLate = isLate || isLate_[operand];
      if (other == kNoEvent) return operand;
      if (decided != kNoEvent && trace.threadOf(decided) != trace.threadOf(other)) isLate = true;
      decided = decided == kNoEvent ? other : std::max(decided, other);
      return operand;
    };
    if (node.op == ExprOp::symbol) operation.a = use(slotOfSymbol(uint32_t(node.value)));
    if (node.a != kNoExpr) operation.operandWidth = trace.exprs.node(node.a).width;
    if (node.a != kNoExpr) operation.a = use(slots_[node.a]);
    operation.b = operation.c = operation.a;
    if (node.b != kNoExpr) operation.b = use(slots_[node.b]);
    if (node.c != kNoExpr) operation.c = use(slots_[node.c]);
    isLate_.push_back(isLate);
    decidedAt_.push_back(isLate ? kNoEvent : decided);
    if (isLate)
      late.push_back(operation);
    else if (decided != kNoEvent)
      dated.emplace_back(decided, operation);
    else if (node.op == ExprOp::symbol)
      initialValues[slot] = initialValues[operation.a] & maskOf(node.width);
    else if (node.op != ExprOp::constant)
      initialValues[slot] = applyOp(node, operation.operandWidth, initialValues[operation.a],
                                    initialValues[operation.b], initialValues[operation.c]);
  }
  std::stable_sort(dated.begin(), dated.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  firstOperation.assign(trace.events.size() + 1, 0);
  for (const auto& [event, operation] : dated) {
    ++firstOperation[event + 1];
    operations.push_back(operation);
  }
  for (size_t i = 1; i < firstOperation.size(); ++i) firstOperation[i] += firstOperation[i - 1];
  for (const Cell& cell : trace.cells) initialMemory.push_back(initialValues[slots_[cell.initial]]);
  for (ExprId expr : trace.failure.bug) bug.push_back(slots_[expr]);
}

void CompiledTrace::compileConditions() {
  firstCondition.assign(trace.events.size() + 1, 0);
  for (const Condition& condition : trace.conditions) {
    assert(condition.after < trace.events.size());
    ++firstCondition[condition.after + 1];
  }
  for (size_t i = 1; i < firstCondition.size(); ++i) firstCondition[i] += firstCondition[i - 1];
  conditions.resize(trace.conditions.size());
  std::vector<uint32_t> next(firstCondition.begin(), firstCondition.end() - 1);
  for (uint32_t i = 0; i < trace.conditions.size(); ++i)
    conditions[next[trace.conditions[i].after]++] = {slots_[trace.conditions[i].expr], i};
}

void CompiledTrace::compileEvents() {
  for (const Part& part : trace.parts)
    parts.push_back({part.cell, part.symbol == kNone ? kNone : slotOfSymbol(part.symbol),
                     part.written == kNoExpr ? kNone : slots_[part.written],
                     part.guard == kNoExpr ? kNone : slots_[part.guard]});
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    const Event& event = trace.event(ref);
    CompiledEvent compiled{.kind = event.kind,
                           .tail = event.tail,
                           .synthetic = event.synthetic,
                           .pending = event.pending,
                           .bystander = event.bystander,
                           .completed = ending.isCompleted(ref),
                           .hasWork = firstOperation[ref] < firstOperation[ref + 1] ||
                                      firstCondition[ref] < firstCondition[ref + 1],
                           .thread = event.id.thread,
                           .object = event.object,
                           .argument = event.outcome,
                           .firstPart = event.firstPart,
                           .partCount = event.partCount};
    const sync::Argument argument = sync::ruleOf(event.kind).argument;
    if (argument == sync::Argument::peer) compiled.argument = event.peer;
    if (argument == sync::Argument::mutex || (event.kind == EventKind::wake && event.pending))
      compiled.argument = event.mutex;
    events.push_back(compiled);
  }
}

} // namespace symbiosis
