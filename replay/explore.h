#pragma once
// Runs a program again and again under control, each time with another schedule, until one fails. Which schedules
// these are is the source's to say; the lowest run that fails, and fails again when it is repeated, is the answer,
// whatever the number of jobs. What nobody can tell the outcome of is counted apart, with its reason.
#include "replay/logged_run.h"
#include "replay/schedule_source.h"
#include <functional>

namespace symbiosis {

struct FoundFailure : LoggedRun {
  uint64_t run = 0; // from 1
};

struct ExploreOptions {
  LaunchOptions launch; // program, arguments, input, time-out of one run
  uint64_t runs = 1000;
  unsigned jobs = 1;
  int expectedExit = 0;
  uint32_t heldMegabytes = format::kHeldMegabytes; // of freed blocks; 0: they are not held back
  uint64_t stepLimit = 20'000'000;                 // points: a run that goes on longer does not count as a failure
  bool stopAtFirstFailure = true;
  bool keepsGoing = false; // behind a failure that is believed: the search goes on for others that are not like it
  // Repeats a failure, while nothing else runs, before it is believed; null: it is believed. Error nothingFound:
  // it did not come again, and the search goes on. What has failed beside other runs and does not fail alone is
  // not a failure: copies of a program may share a file or a port, and from then on there is one at a time.
  std::function<Result<void>(const FoundFailure&)> repeat;
};

// Runs whose outcome says nothing about their schedule, for one reason.
struct UncountedRuns {
  RunOutcome outcome = RunOutcome::stuck;
  std::string place;  // thread and call, or how it ended: what makes two of them alike
  std::string reason; // of the first of them, in words
  uint64_t runs = 0;
};

// One of those that the search went on behind, and the runs that failed like it (failureText).
struct DistinctFailure {
  std::string text;
  uint64_t firstRun = 0; // that was believed
  uint64_t runs = 0;
};

enum class EarlyStop {
  none,
  interrupted,
  stuckTwice,    // at one place: the others would be stuck there, too
  alwaysGivesUp, // for one reason
  neverRepeats,  // failures come, and none comes again
  oneThread,     // there is nothing to schedule
};

struct ExploreResult {
  ExploreCounts counts;
  double seconds = 0;
  std::optional<FoundFailure> failure;   // that of the lowest run
  std::vector<DistinctFailure> distinct; // all of them, if the search goes on behind each
  std::vector<UncountedRuns> uncounted;  // as they came
  EarlyStop stopped = EarlyStop::none;
  size_t mostThreads = 0;  // of a run
  uint64_t aloneSince = 0; // the run from which on runs were no longer made at once; 0: none
  format::Holding holding = format::Holding::off; // of freed blocks, in the first run
  bool gaveBlocksBack = false;                    // in some run more were freed than are held back
};

// `progress` is called now and then, from one thread at a time.
Result<ExploreResult> explore(const ExploreOptions& options, ScheduleSource& source,
                              const std::function<void(const ExploreCounts&)>& progress = {});

// Whether two threads of the run, followed for a while, ever touch the same memory or lock. If not, no schedule
// differs from another.
Result<bool> threadsMeet(ControlledRun run);

} // namespace symbiosis
