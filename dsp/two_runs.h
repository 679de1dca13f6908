#pragma once
// Two runs of one program, one that fails and one that passes, side by side: for whoever has them, wherever they
// come from. What is shown is what differs; nothing is proved about it.
#include "dsp/diagnose.h"
#include "search/recorded_runs.h"

namespace symbiosis {

// How often the runs were repeated, and came again.
struct Repeats {
  size_t runs = 0, failing = 0, passing = 0;
};

DiagnosedRun compareRuns(const Recording& recording, const WalkedRun& failing, const WalkedRun& passing,
                         const Repeats& repeats);

} // namespace symbiosis
