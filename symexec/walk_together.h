#pragma once
// Level `path`: the first walk takes all threads together, through one memory, in the order in which they ran as
// far as the recording tells: the order that was granted in a controlled run, otherwise that of the time stamps of
// the operations. So every load yields a value, and addresses can be computed.
//
// Between time stamps the order is a guess. A guess that leaves a thread with no address to go to, or does not
// explain the signal that ended it, is mended: a load waits until somebody has written a pointer there, or finds
// another of the values that are written there; then everything is walked again. A guess is no knowledge: the
// trace says by conditions which addresses were taken, so that a schedule that does not fit is none.
#include "symexec/walk_context.h"

namespace symbiosis {

// Fills context.common.found. Throws what the executor throws.
void walkTogether(const Recording& recording, WalkContext& context);

} // namespace symbiosis
