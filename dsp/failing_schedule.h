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
  // This one, as it is; whoever asks has seen that it is a schedule of the trace. Nothing: one is looked for.
  std::optional<EventOrder> given;
};

struct FailingSchedule {
  EventOrder order; // after context-switch reduction; what did not happen in it stands last
  size_t originalSwitches = 0, originalPreemptions = 0;
  std::vector<std::string> limits; // what the reader should know
  SolverStats solver;
  StageSeconds seconds; // failing, csr
};

// Evaluated.
Result<FailingSchedule> findFailingSchedule(const SymbolicTrace& trace, const Recording& recording,
                                            const SolverOptions& solverOptions, const FailingOptions& options);

} // namespace symbiosis
