#pragma once
// How far a condition is from holding: 0 if it does, otherwise the larger the further away its operands are. As in
// search-based testing (Tracey et al. 1998), so that a search sees whether it comes nearer.
#include "trace/execution.h"

namespace symbiosis {

// In [0, 1]. `expr` is of one bit and has been compiled.
double branchDistance(const CompiledTrace& code, Execution& state, ExprId expr, bool wanted);

} // namespace symbiosis
