#pragma once
// What a run under control means to who explores, and how many ended in which way.
#include "replay/controlled_run.h"

namespace symbiosis {

enum class RunOutcome {
  passed,
  failed,     // did not end as expected, or in a deadlock
  limited,    // went on past the step limit
  stuck,      // made no progress, or took too long: ended from outside
  gaveUp,     // the runtime met something that it cannot control
  diverged,   // did not follow its plan
  unrepeated, // failed, but not again when it was repeated
};
// Never `unrepeated`, which takes a second run.
RunOutcome outcomeOf(const ControlReport& report, int expectedExit);

// What makes two failures alike, in words: their kind and, as far as it is known without looking at the program,
// their place. Of a run that failed.
std::string failureText(const ControlReport& report);

// Every run is counted once, by its outcome.
struct ExploreCounts {
  uint64_t runs = 0;
  uint64_t passed = 0, failed = 0, limited = 0, stuck = 0, gaveUp = 0, diverged = 0, unrepeated = 0;
  void add(RunOutcome outcome);
  void takeBack(RunOutcome outcome);
  // Of these nobody knows whether the schedule would have failed.
  uint64_t uncounted() const { return runs - passed - failed; }

private:
  uint64_t& of(RunOutcome outcome);
};

} // namespace symbiosis
