#include "trace/life.h"

namespace symbiosis {

LifeStep lifeStepOf(const SymbolicTrace& trace, EventRef event) {
  for (const Part& part : trace.partsOf(event)) {
    if (!trace.cells[part.cell].isLife) continue;
    if (part.written == kNoExpr) return LifeStep::looks;
    if (trace.exprs.node(part.written).value) return LifeStep::begins;
    return event + 1 == trace.failure.event ? LifeStep::looks : LifeStep::ends; // the second of two frees
  }
  return LifeStep::none;
}

EventRef useOfGone(const SymbolicTrace& trace) {
  for (ExprId condition : trace.failure.bug)
    for (uint32_t symbol : trace.exprs.symbolsIn(condition))
      if (const EventRef event = trace.symbols[symbol].event;
          event != kNoEvent && lifeStepOf(trace, event) == LifeStep::looks)
        return event;
  return kNoEvent;
}

} // namespace symbiosis
