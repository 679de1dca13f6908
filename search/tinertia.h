#pragma once
// A failing run with fewer context switches, by running the program again and again (Jalbert and Sen, "A trace
// simplification technique for effective debugging of concurrent programs", 2010). Needs no trace: whatever shows
// in the outcome of a run is kept.
#include "search/turn_runs.h"
#include <functional>

namespace symbiosis {

struct TinertiaOptions {
  RunBudget budget;
  size_t suffix = 0; // only so many turns at the end are changed; 0: all
};

struct TinertiaResult {
  Turns before, after;
  ControlReport report; // of the run that `after` is
  size_t runs = 0, iterations = 0;
  size_t checked = 0;     // moves that were tried on the result, none of which fails with fewer switches
  bool isMinimal = false; // these were all there are; otherwise the budget ran out
  double seconds = 0;
};

// `start` follows the failing run exactly. Errors: it does not fail, or not as a list of turns.
Result<TinertiaResult> simplifyByExecution(const Recording& recording, Plan start, const TinertiaOptions& options,
                                           const std::function<void(size_t runs, size_t switches)>& progress);

} // namespace symbiosis
