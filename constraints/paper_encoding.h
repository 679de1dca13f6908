#pragma once
// φ_sync of mutexes and φ_rw as §3.3 prints them, with nothing pruned: the reference that the other encoding is
// held against in tests and benchmarks.
#include "constraints/call_watch.h"
#include "constraints/expr_terms.h"
#include "constraints/order_terms.h"
#include "constraints/sync_structure.h"

namespace symbiosis {

void encodePaperMutex(Z3Session& session, const OrderTerms& order, const MutexUse& use, const CallWatch& watch);
void encodePaperMemory(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                       const CallWatch& watch);

} // namespace symbiosis
