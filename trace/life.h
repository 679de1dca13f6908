#pragma once
// What the events of a trace have to do with the lives of heap blocks (Cell::isLife).
#include "trace/symbolic_trace.h"

namespace symbiosis {

// looks: and the failure is that the block was gone. uses: it was alive, and nothing else is known of the access.
enum class LifeStep : uint8_t { none, begins, uses, looks, ends };
LifeStep lifeStepOf(const SymbolicTrace& trace, EventRef event);

// The event that looks at the life: the use, or the second free; kNoEvent: the failure is no such use.
EventRef useOfGone(const SymbolicTrace& trace);

// All that the condition asks is that blocks are alive: who finds that they are not has failed, and decided
// nothing.
bool isAboutLives(const SymbolicTrace& trace, ExprId condition);

} // namespace symbiosis
