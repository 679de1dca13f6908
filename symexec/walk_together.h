#pragma once
// Level `path`: the first walk takes all threads together, through one memory, in the order in which they ran as
// far as the recording tells: the order that was granted in a controlled run, otherwise that of the time stamps of
// the operations. So every load yields a value, and addresses can be computed.
//
// Between time stamps the order is a guess. Where it leaves a thread with no address to go to, the thread read a
// pointer too early; then it waits there until somebody has written one, and everything is walked again. A guess
// is no knowledge: the trace says by conditions which addresses were taken, so that a schedule that does not fit
// is none.
#include "symexec/executor.h"

namespace symbiosis {

// Fills context.common.found. Throws AddressUnknown.
void walkTogether(const Recording& recording, ExecutionContext& context);

} // namespace symbiosis
