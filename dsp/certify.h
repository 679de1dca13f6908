#pragma once
// The proof on the real program: the failing schedule must fail every time, the alternate must pass every time.
#include "dsp/diagnosis.h"
#include "trace/recording.h"
#include <functional>

namespace symbiosis {

// Called before each run with its number and the total.
using CertifyProgress = std::function<void(size_t run, size_t total)>;

// Replays the failing schedule and, if one was found, the alternate `replays` times each. After the alternate's
// last entry the run goes on under a seeded strategy, another seed each time. Nothing is run if `replays` is 0.
Certificate certify(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing,
                    const Alternate& alternate, size_t replays, const CertifyProgress& progress);

// Runs the program with the recorded input under `runs` schedules of the portfolio, whatever path they take.
Confirmation exploreOtherSchedules(const Recording& recording, size_t runs, const CertifyProgress& progress);

} // namespace symbiosis
