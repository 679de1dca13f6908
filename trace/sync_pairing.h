#pragma once
// Which operations of one thread belong together, by program order alone: a wake to its wait-begin, the release of
// a reader-writer lock to the hold that it ends, a departure from a barrier to its arrival, the end of an
// initialiser to its beginning. An operation without its partner cannot happen in any schedule.
#include "trace/symbolic_trace.h"

namespace symbiosis {

struct SyncPairing {
  std::vector<EventRef> partner;       // by event; kNoEvent: none
  std::vector<const char*> impossible; // by event: why it cannot happen in any schedule; nullptr: it may
};

SyncPairing pairSync(const SymbolicTrace& trace);

} // namespace symbiosis
