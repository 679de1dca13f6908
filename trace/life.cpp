#include "trace/life.h"
#include <algorithm>

namespace symbiosis {

static bool isLookOfFailure(const SymbolicTrace& trace, uint32_t symbol) {
  for (ExprId condition : trace.failure.bug)
    for (uint32_t asked : trace.exprs.symbolsIn(condition))
      if (asked == symbol) return true;
  return false;
}

LifeStep lifeStepOf(const SymbolicTrace& trace, EventRef event) {
  for (const Part& part : trace.partsOf(event)) {
    if (!trace.cells[part.cell].isLife) continue;
    if (part.written == kNoExpr && isLookOfFailure(trace, part.symbol)) return LifeStep::looks;
    if (part.written == kNoExpr) continue;
    if (trace.exprs.node(part.written).value) return LifeStep::begins;
    return event + 1 == trace.failure.event ? LifeStep::looks : LifeStep::ends; // the second of two frees
  }
  const auto parts = trace.partsOf(event);
  const bool isUse = !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return trace.cells[part.cell].isLife;
  });
  return isUse ? LifeStep::uses : LifeStep::none;
}

EventRef useOfGone(const SymbolicTrace& trace) {
  for (ExprId condition : trace.failure.bug)
    for (uint32_t symbol : trace.exprs.symbolsIn(condition))
      if (const EventRef event = trace.symbols[symbol].event;
          event != kNoEvent && lifeStepOf(trace, event) == LifeStep::looks)
        return event;
  return kNoEvent;
}

bool isAboutLives(const SymbolicTrace& trace, ExprId condition) {
  const std::vector<uint32_t> symbols = trace.exprs.symbolsIn(condition);
  return !symbols.empty() && std::all_of(symbols.begin(), symbols.end(), [&](uint32_t symbol) {
    const EventRef event = trace.symbols[symbol].event;
    if (event == kNoEvent) return false;
    const auto parts = trace.partsOf(event);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.symbol == symbol && trace.cells[part.cell].isLife; });
  });
}

} // namespace symbiosis
