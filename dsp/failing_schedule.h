#pragma once
// Which failing schedule is explained (§3.3).
#include "dsp/diagnosis.h"
#include "support/result.h"
#include "trace/recording.h"

namespace symbiosis {

enum class WantedOrder {
  recorded, // the order that a controlled run took
  solved,   // one that the solver finds
  simpler,  // whichever of both has fewer context switches: what was found at random is often complicated
};

struct FailingOptions {
  WantedOrder order = WantedOrder::simpler;
  bool reduces = true; // its context switches (§3.7)
};

struct FailingSchedule {
  EventOrder order; // after context-switch reduction
  size_t originalSwitches = 0, originalPreemptions = 0;
};

// Evaluated. What the reader should know goes to the diagnosis, as do seconds and the solver's statistics.
Result<FailingSchedule> findFailingSchedule(const SymbolicTrace& trace, const Recording& recording,
                                            const SolverOptions& solverOptions, FailingOptions options,
                                            Diagnosis& diagnosis);

} // namespace symbiosis
