#pragma once
// Expressions as a programmer writes them, for messages: "counter == 81", "queue->filled > 0".
#include "trace/symbolic_trace.h"

namespace symbiosis {

// Values that were read are named by their variable. Long expressions are cut short with "…".
std::string toInfix(const SymbolicTrace& trace, ExprId expr, bool isFloat = false);

} // namespace symbiosis
