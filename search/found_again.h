#pragma once
// The failure of a native run, found once more under control. What a native run got from outside, and the order in
// which it got it, is partly a guess; a run under control can be repeated. Where the first cannot be followed, or the
// program does not repeat what was solved for, the second is explained in its place.
#include "search/recorded_runs.h"
#include <chrono>
#include <functional>

namespace symbiosis {

struct FindAgainOptions {
  uint64_t mostRuns = 200;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max(); // no run begins after
};

struct FoundAgain {
  WalkedRun run;
  uint64_t number = 0;      // of the run, from 1
  bool isSamePlace = false; // false: it fails in the same way, but elsewhere
};

// Explores schedules of the recorded program until one fails as `native` did, and records it in full into
// `directory`. `trace`: of the native run, null if it cannot be followed. A run that fails at the same place is
// preferred. Error nothingFound: none fails as it did.
Result<FoundAgain> findAgain(const Recording& native, const SymbolicTrace* trace, const std::filesystem::path& directory,
                             const FindAgainOptions& options, const std::function<void(uint64_t run)>& progress);

} // namespace symbiosis
