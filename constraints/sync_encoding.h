#pragma once
// φ_sync: what the structure of the synchronisation leaves open.
#include "constraints/call_watch.h"
#include "constraints/order_terms.h"
#include "constraints/sync_structure.h"

namespace symbiosis {

// Returns, for a trace that ends waiting: if everything that completed has happened, all who wait go on waiting.
z3::expr encodeSync(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace, const SyncStructure& sync,
                    Encoding encoding, const CallWatch& watch);

} // namespace symbiosis
