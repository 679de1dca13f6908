#pragma once
// Brings a schedule of one outcome near to one of the other (Choi and Zeller's isolation, by orderings instead of
// by positions): as many orderings of the model as the solver can keep are kept, a maximal set found by halving,
// and what they leave open follows the model.
#include "constraints/schedule_solver.h"

namespace symbiosis {

// `order` has the outcome of `goal`, and so has the answer.
EventOrder nearestTo(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& model, Goal goal,
                     EventOrder order);

} // namespace symbiosis
