#pragma once
// φ_rw: each read takes the value of the last write to its cell, or the cell's initial value.
#include "constraints/call_watch.h"
#include "constraints/expr_terms.h"
#include "constraints/order_terms.h"

namespace symbiosis {

// Cells that are not relevant are left out: what is read from them changes no outcome.
void encodeMemory(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                  const std::vector<bool>& relevantCells, const CallWatch& watch);

} // namespace symbiosis
