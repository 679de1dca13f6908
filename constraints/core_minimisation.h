#pragma once
// From a sufficient set of orderings to an irreducible one.
#include "constraints/schedule_solver.h"
#include <functional>

namespace symbiosis {

// `passing` answers for sets of edges; a passing schedule that respects them, or a proof that there is none.
// Later edges are preferred. `unknown` keeps the edges in question and costs the claim of irreducibility.
RootCauseCore minimiseCore(std::span<const OrderEdge> edges,
                           const std::function<ScheduleAnswer(std::span<const OrderEdge>)>& passing);

bool respects(const EventOrder& order, std::span<const OrderEdge> edges);

} // namespace symbiosis
