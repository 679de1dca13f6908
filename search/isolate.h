#pragma once
// What decides between a run that passes and one that fails, by experiment: delta debugging of their turns (Choi
// and Zeller 2002). Needs no trace; whatever a run shows, or an oracle says of it, can be isolated.
#include "search/delta_debugging.h"
#include "search/turn_runs.h"

namespace symbiosis {

struct IsolateOptions {
  RunBudget budget{400, 60};
  std::string oracle; // empty: how the program ends decides
};

// Where the two runs came from.
enum class OtherRun {
  given,
  perturbed, // the recorded run with its switches moved, more and more, until the outcome was another
};

struct IsolatedRun {
  Turns turns; // that were asked for
  ControlReport report;
};

struct Isolated {
  IsolatedRun passing, failing;
  DeltaResult delta;
  std::vector<std::string> slots; // by switch of `delta`: the thread that is left there
  size_t switchesAtFirst = 0;
  uint64_t stepsAtFirst = 0;
  OtherRun other = OtherRun::given;
  size_t perturbations = 0; // runs until the other outcome was found
  size_t runs = 0;          // in all
  std::string unresolved;   // how the first run that said nothing ended; empty: there was none
  double seconds = 0;
  // The switches in which the two differ.
  std::vector<size_t> differences() const;
};

// What is begun with. One of the two may be missing; then it is looked for near the other.
struct IsolateStart {
  std::optional<Plan> failing, passing;
};

using IsolateProgress = std::function<void(const char* what, size_t runs, size_t switches, uint64_t steps)>;

// Errors: a run does not do what it is said to, or no other outcome was found.
Result<Isolated> isolate(const Recording& recording, const IsolateStart& start, const IsolateOptions& options,
                         const IsolateProgress& progress);

} // namespace symbiosis
