#pragma once
// Symbiosis §3.5.2's `invert(σ, e_j, e_k)` and its mirror: the two smallest ways to turn one pair of events
// round.
#include "trace/schedule.h"

namespace symbiosis {

// σ = α e_j β e_k γ becomes α M e_k e_j (β∖M) γ, where M is what e_k cannot go without: the events in β of
// its thread, and of the threads that it forks after or joins. j < k are positions. Empty if e_j is one of
// those.
EventOrder moveEarlier(const SymbolicTrace& trace, const EventOrder& order, size_t j, size_t k);

// The mirror: σ becomes α (β∖M) e_k e_j M γ, where M is what cannot go without e_j. Empty if e_k is one of
// those.
EventOrder moveLater(const SymbolicTrace& trace, const EventOrder& order, size_t j, size_t k);

} // namespace symbiosis
