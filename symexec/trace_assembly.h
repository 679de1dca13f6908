#pragma once
// Puts what the walks of the threads have produced together into one trace: events get identities of threads,
// objects and cells, places in the source, and names.
#include "symexec/lives.h"
#include "symexec/names.h"
#include "symexec/snapshot.h"
#include "symexec/thread_events.h"

namespace symbiosis {

// Where the values of a trace come from.
struct TraceSources {
  const Recording& recording;
  const AddressMap& addresses;
  NameFinder& names;
  Memory& initial; // of the globals
  const HeapLives& lives;
};

// `symbols`: how many there are. `endsWaiting`: the failure is that threads wait.
void assembleTrace(const TraceSources& sources, std::vector<ThreadEvents>& threads, uint32_t symbols,
                   bool endsWaiting, SymbolicTrace& trace);

} // namespace symbiosis
