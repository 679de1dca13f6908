#pragma once
// Time stamps as orderings: coarse ones say nothing about events that are near each other, and are rarely wrong
// about events that are far apart.
#include "constraints/schedule_solver.h"

namespace symbiosis {

// By event: its time stamp or, because these are rare, the latest before it in its thread. Empty: none recorded.
std::vector<uint64_t> hintsOf(const SymbolicTrace& trace);

// Widths to try one after the other, each some times the one before. Where one proves infeasible the next may not.
std::vector<uint64_t> windowWidths(const std::vector<uint64_t>& hints);

// Events of different threads whose hints differ by more than `width` are ordered by them. Transitive ones are
// left out.
std::vector<OrderEdge> windowEdges(const SymbolicTrace& trace, const std::vector<uint64_t>& hints, uint64_t width);

} // namespace symbiosis
