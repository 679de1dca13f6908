#pragma once
// Every schedule of a program on one input passes, or one that fails, or how far that question was answered. The
// argument is that of path_questions.h, and docs/proofs.md has it in full. `proved` is said only if every question
// of every path was answered, nothing happens in a path that no question covers (path_limits.h,
// symexec/beyond_model.h), there is no data race and no atomic access weaker than sequentially consistent, and
// random schedules, run at the end, have taken only paths that are known.
#include "replay/record.h"
#include "search/exhaust.h"

namespace symbiosis {

struct ProveOptions {
  RecordOptions record; // the command, its input, the expected status, where a failing run is kept
  ExhaustOptions exhaust;
  size_t checks = 20; // random schedules in the end
};

enum class ProofVerdict { proved, failure, notFinished };

struct Proof {
  ProofVerdict verdict = ProofVerdict::notFinished;
  Exhausted explored; // without its paths
  size_t paths = 0;
  std::vector<std::string> open;        // what makes it not finished, beside limits
  std::vector<std::string> beyondOrder; // data races, and atomics weaker than sequential consistency
  std::optional<RecordedRun> failure;   // kept
  size_t failedAt = 0;                  // the execution, from 1
  size_t checked = 0;                   // random schedules that took known paths
  double seconds = 0;
};

struct ProveObserver {
  std::function<void(const Exhausted&)> progress;
  std::function<void(const char* stage)> stage;
};

// Errors: the program cannot be run, or was not built with `symbiosis cc`.
Result<Proof> prove(const ProveOptions& options, const ProveObserver& observer);

} // namespace symbiosis
