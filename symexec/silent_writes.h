#pragma once
// Memory that only one thread touches may still be in a trace: another block that two threads share has been at
// the same address. If uninstrumented code has written such memory, a read of it finds what no event has put
// there. Since nobody else touches it, that is the same in every schedule: the read gets a cell of its own, with
// the value that was seen.
#include "trace/symbolic_trace.h"

namespace symbiosis {

void acceptSilentWrites(SymbolicTrace& trace);

} // namespace symbiosis
