#pragma once
// φ_sync of mutexes and condition variables and φ_rw as §3.3 prints them, with nothing pruned: the reference that
// the other encoding is held against in tests and benchmarks.
#include "constraints/call_watch.h"
#include "constraints/expr_terms.h"
#include "constraints/order_terms.h"
#include "constraints/sync_structure.h"

namespace symbiosis {

void encodePaperMutex(Z3Session& session, const OrderTerms& order, const MutexUse& use, const CallWatch& watch);
// A wait needs a signal before it that is mapped to it alone; nobody asks whether it waited then.
void encodePaperCondition(Z3Session& session, const OrderTerms& order, const ConditionUse& use);
void encodePaperMemory(Z3Session& session, OrderTerms& order, ExprTerms& terms, const SymbolicTrace& trace,
                       const CallWatch& watch);

} // namespace symbiosis
