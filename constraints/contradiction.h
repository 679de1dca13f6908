#pragma once
// Why there is no failing schedule, in the user's words: the facts of the recording that contradict each other.
#include "constraints/schedule_solver.h"

namespace symbiosis {

// A sentence for each fact, as few as can be found within the limits: what conditions need, what reads can see,
// what locks exclude. Empty: none found within the limits, or there is no contradiction.
std::vector<std::string> explainContradiction(const SymbolicTrace& trace, Goal goal, SolverLimits limits);

} // namespace symbiosis
