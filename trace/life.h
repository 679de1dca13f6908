#pragma once
// What the events of a trace have to do with the life of the heap block whose use is the failure (Cell::isLife).
#include "trace/symbolic_trace.h"

namespace symbiosis {

enum class LifeStep : uint8_t { none, begins, looks, ends };
LifeStep lifeStepOf(const SymbolicTrace& trace, EventRef event);

// The event that looks at the life: the use, or the second free; kNoEvent: the failure is no such use.
EventRef useOfGone(const SymbolicTrace& trace);

} // namespace symbiosis
