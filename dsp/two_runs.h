#pragma once
// Two runs of one program, one that fails and one that passes, side by side: for whoever has them, wherever they
// come from. What is shown is what differs; nothing is proved about it.
#include "dsp/diagnose.h"
#include "search/recorded_runs.h"

namespace symbiosis {

// `replays`: how often each came again.
DiagnosedRun compareRuns(const Recording& recording, const WalkedRun& failing, const WalkedRun& passing,
                         size_t replays);

} // namespace symbiosis
