#include "trace/life.h"

namespace symbiosis {

LifeStep lifeStepOf(const SymbolicTrace& trace, EventRef event) {
  for (const Part& part : trace.partsOf(event)) {
    if (!trace.cells[part.cell].isLife) continue;
    if (event == trace.failure.freed) return LifeStep::ends;
    if (part.symbol != kNone) return LifeStep::looks; // the second of two frees, too
    return trace.exprs.node(part.written).value ? LifeStep::begins : LifeStep::ends;
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
