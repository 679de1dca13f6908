#pragma once
// The proof on the real program: the failing schedule must fail every time, the alternate must pass every time.
#include "dsp/diagnosis.h"
#include "dsp/observer.h"
#include "trace/recording.h"

namespace symbiosis {

// Replays the failing schedule, an order of `trace`, and the diagnosis' alternate, if there is one, `replays` times
// each. What an alternate on the same path goes on with after its last entry is unknown: it is continued under a seeded
// strategy, another seed each time, and the first whole run that ends well must come again as it was. An alternate on
// another path is a whole run already. Nothing is run if `replays` is 0.
Certificate certify(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing,
                    const Diagnosis& diagnosis, size_t replays, Observer& observer);

} // namespace symbiosis
