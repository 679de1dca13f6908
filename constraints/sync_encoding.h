#pragma once
// φ_sync: what the structure of the synchronisation leaves open.
#include "constraints/call_watch.h"
#include "constraints/order_terms.h"
#include "constraints/sync_structure.h"

namespace symbiosis {

void encodeSync(Z3Session& session, OrderTerms& order, const SymbolicTrace& trace, const SyncStructure& sync,
                Encoding encoding, const CallWatch& watch);

} // namespace symbiosis
