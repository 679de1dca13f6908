#include "trace/symbolic_trace.h"
#include "trace/floats.h"
#include <filesystem>
#include <fmt/format.h>

namespace symbiosis {

const char* toText(FailureKind kind) {
  switch (kind) {
  case FailureKind::none: return "none";
  case FailureKind::assertion: return "assertion";
  case FailureKind::crash: return "crash";
  case FailureKind::exception: return "exception";
  case FailureKind::exit: return "exit";
  case FailureKind::deadlock: return "deadlock";
  case FailureKind::hang: return "hang";
  case FailureKind::useAfterFree: return "use after free";
  case FailureKind::doubleFree: return "double free";
  case FailureKind::useAfterDestroy: return "use after destroy";
  case FailureKind::invalidFree: return "invalid free";
  }
  return "?";
}

bool isHeapMisuse(FailureKind kind) {
  return kind == FailureKind::useAfterFree || kind == FailureKind::doubleFree ||
         kind == FailureKind::invalidFree || kind == FailureKind::useAfterDestroy;
}

void finishThreads(SymbolicTrace& trace) {
  for (size_t t = 0; t < trace.threads.size(); ++t) {
    trace.threads[t].displayName = fmt::format("T{}", t);
    trace.threads[t].firstEvent = EventRef(trace.events.size());
    trace.threads[t].eventCount = 0;
  }
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    TraceThread& thread = trace.threads[trace.events[ref].id.thread];
    if (thread.eventCount == 0) thread.firstEvent = ref;
    assert(ref == thread.firstEvent + thread.eventCount && "events must stand thread by thread");
    ++thread.eventCount;
  }
}

std::vector<EventRef> SymbolicTrace::pendingEvents() const {
  std::vector<EventRef> found;
  for (const TraceThread& thread : threads)
    if (thread.eventCount > 0 && events[thread.firstEvent + thread.eventCount - 1].pending)
      found.push_back(thread.firstEvent + thread.eventCount - 1);
  return found;
}

std::string SymbolicTrace::describe(EventRef ref) const {
  const Event& e = events[ref];
  std::string text = fmt::format("{} {}{}", threads[e.id.thread].displayName,
                                 e.synthetic ? "synthetic "
                                 : e.pending ? "pending "
                                             : "",
                                 toText(e.kind));
  if (e.peer != kNone) text += " " + threads[e.peer].displayName;
  if (!e.variable.empty()) text += " " + e.variable;
  if (e.location != kNone && !locations[e.location].file.empty())
    text += fmt::format(" ({}:{})", std::filesystem::path(locations[e.location].file).filename().string(),
                        locations[e.location].line);
  return text;
}

// An expression is a graph: written as a tree it can be exponentially long, and deeper than our stack.
static constexpr int kMostOperators = 100;

// `left` is how many operators may still be written; the rest become "…".
static std::string exprText(const SymbolicTrace& trace, ExprId id, int& left, bool isFloat) {
  const ExprNode& n = trace.exprs.node(id);
  if (n.op == ExprOp::constant)
    return n.width == 1 ? (n.value ? "true" : "false") : valueText(n.value, n.width, isFloat);
  if (n.op == ExprOp::symbol) {
    const SymbolInfo& symbol = trace.symbols[n.value];
    if (symbol.event == kNoEvent) return fmt::format("initial{}", n.value);
    const Event& e = trace.events[symbol.event];
    return fmt::format("{}@{}.{}", e.variable.empty() ? "mem" : e.variable, trace.threads[e.id.thread].displayName,
                       e.id.index);
  }
  if (left-- <= 0) return "…";
  if (n.op == ExprOp::bitXor && n.width == 1 && trace.exprs.isConstant(n.b))
    return fmt::format("(not {})", exprText(trace, n.a, left, false));
  std::string text = fmt::format("({}", toText(n.op));
  if (n.op == ExprOp::extract) text += fmt::format("[{}:{}]", n.low + n.width - 1, n.low);
  const bool changesWidth = n.op == ExprOp::zext || n.op == ExprOp::sext || (n.op >= ExprOp::fext);
  if (changesWidth) text += fmt::format("{}", n.width);
  if (n.op == ExprOp::fround) text += fmt::format("[{}]", n.low);
  const bool floats = takesFloats(n.op) || (n.op == ExprOp::ite && isFloat) ||
                      (n.op == ExprOp::eq && (meansFloat(trace, n.a) || meansFloat(trace, n.b)));
  for (ExprId operand : {n.a, n.b, n.c})
    if (operand != kNoExpr)
      text += " " + exprText(trace, operand, left, floats && isFloatWidth(trace.exprs.width(operand)));
  return text + ")";
}

std::string valueText(uint64_t bits, unsigned width, bool isFloat) {
  if (isFloat && isFloatWidth(width)) return floatText(bits, width);
  return fmt::format("{}", signExtend(bits, width));
}

static uint32_t cellOf(const SymbolicTrace& trace, const ExprNode& symbol) {
  const SymbolInfo& info = trace.symbols[symbol.value];
  if (info.event == kNoEvent || info.width != symbol.width) return kNone;
  for (const Part& part : trace.partsOf(info.event))
    if (part.symbol == symbol.value) return part.cell;
  return kNone;
}

bool meansFloat(const SymbolicTrace& trace, ExprId expr) {
  const ExprNode* node = &trace.exprs.node(expr);
  while (node->op == ExprOp::ite) node = &trace.exprs.node(trace.exprs.isConstant(node->b) ? node->c : node->b);
  if (node->op != ExprOp::symbol) return yieldsFloat(node->op);
  const uint32_t cell = cellOf(trace, *node);
  return cell != kNone && trace.cells[cell].isFloat;
}

void findFloats(SymbolicTrace& trace) {
  for (ExprId id = 1; id < trace.exprs.size(); ++id) {
    const ExprNode& node = trace.exprs.node(id);
    if (!takesFloats(node.op)) continue;
    for (ExprId operand : {node.a, node.b, node.c})
      if (operand != kNoExpr && trace.exprs.node(operand).op == ExprOp::symbol)
        if (const uint32_t cell = cellOf(trace, trace.exprs.node(operand)); cell != kNone)
          trace.cells[cell].isFloat = true;
  }
  for (const Part& part : trace.parts)
    if (part.written != kNoExpr && meansFloat(trace, part.written)) trace.cells[part.cell].isFloat = true;
}

std::string toText(const SymbolicTrace& trace, ExprId id) {
  int left = kMostOperators;
  return exprText(trace, id, left, false);
}

static std::string eventLine(const SymbolicTrace& trace, EventRef ref) {
  const Event& e = trace.events[ref];
  std::string line = fmt::format("  {:>6} {:<8}", e.id.index, toText(e.kind));
  if (e.peer != kNone) line += " " + trace.threads[e.peer].displayName;
  if (!e.variable.empty()) line += " " + e.variable;
  if (e.object != kNone) {
    line += fmt::format("  [{}", trace.objects[e.object].id);
    if (e.partCount) line += fmt::format("+{}", trace.cells[trace.parts[e.firstPart].cell].offset);
    line += "]";
  }
  for (const Part& part : trace.partsOf(ref)) {
    if (part.symbol != kNone) {
      line += fmt::format(" -> s{}", part.symbol);
      if (const auto& observed = trace.symbols[part.symbol].observed)
        line += "=" + valueText(*observed, trace.symbols[part.symbol].width, trace.cells[part.cell].isFloat);
    }
    if (part.written != kNoExpr) {
      int left = kMostOperators;
      line += " := " + exprText(trace, part.written, left, trace.cells[part.cell].isFloat);
    }
    if (part.guard != kNoExpr) line += " if " + toText(trace, part.guard);
  }
  if (e.kind == EventKind::trylock) line += e.outcome ? " busy" : " acquired";
  if (e.tail) line += " tail";
  if (e.synthetic) line += " synthetic";
  if (e.pending) line += e.bystander ? " pending (bystander)" : " pending";
  if (e.location != kNone) {
    const SourceLocation& at = trace.locations[e.location];
    line += fmt::format("  {}:{} {}", at.file, at.line, at.function);
  }
  return line + "\n";
}

std::string toText(const SymbolicTrace& trace) {
  std::string text =
      fmt::format("symbolic trace: {} threads, {} events, {} cells, {} conditions\n", trace.threads.size(),
                  trace.events.size(), trace.cells.size(), trace.conditions.size());
  std::vector<std::vector<uint32_t>> conditionsAfter(trace.events.size());
  for (uint32_t i = 0; i < trace.conditions.size(); ++i) conditionsAfter[trace.conditions[i].after].push_back(i);
  for (const TraceThread& thread : trace.threads) {
    text += fmt::format("{} (thread {}{}{})\n", thread.displayName, thread.id,
                        thread.startFunction.empty() ? "" : ", ", thread.startFunction);
    for (EventRef ref = thread.firstEvent; ref < thread.firstEvent + thread.eventCount; ++ref) {
      text += eventLine(trace, ref);
      for (uint32_t i : conditionsAfter[ref])
        text += fmt::format("         {} {}\n",
                            trace.conditions[i].kind == ConditionKind::branch ? "branch" : "address",
                            toText(trace, trace.conditions[i].expr));
    }
  }
  if (trace.failure.kind == FailureKind::none)
    return text + fmt::format("no failure: {}\n", trace.failure.message);
  text += fmt::format("failure: {} \"{}\"\n", toText(trace.failure.kind), trace.failure.message);
  for (ExprId condition : trace.failure.bug) text += "  bug condition " + toText(trace, condition) + "\n";
  return text;
}

bool isReservedName(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of("*&("), name.size()));
  return name.starts_with("__") || name.starts_with("_M_");
}

} // namespace symbiosis
