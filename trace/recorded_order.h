#pragma once
// The order in which a controlled run really took place. The runtime logged what it granted: every operation of
// synchronisation, and where each thread stood when another went on; between two entries of one thread nobody
// else ran, so that the order of all events follows.
#include "trace/recording.h"
#include "trace/schedule.h"

namespace symbiosis {

// Empty: the run was not controlled. Events that never happened (tails, synthetic releases) come last.
EventOrder recordedOrder(const SymbolicTrace& trace, const Recording& recording);

} // namespace symbiosis
