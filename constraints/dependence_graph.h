#pragma once
// Fewer context switches without running anything (SimTrace §3): an order of the same dependence graph, in which
// every read takes its value from the same write and every operation of synchronisation meets its object in the
// same state.
#include "constraints/schedule_solver.h"

namespace symbiosis {

// A schedule of the same outcome with the same dataflows and at most as many switches. `order` must be feasible.
EventOrder mergeSegments(const SymbolicTrace& trace, const EventOrder& order, SolverLimits limits = {});

} // namespace symbiosis
