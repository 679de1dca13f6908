#pragma once
// Runs a program again and again under control, each time with another schedule, until one fails. Which schedules
// these are is the source's to say; the lowest run that fails is the answer, whatever the number of jobs.
#include "replay/schedule_source.h"
#include <functional>

namespace symbiosis {

struct ExploreOptions {
  LaunchOptions launch; // program, arguments, input, time-out of one run
  uint64_t runs = 1000;
  unsigned jobs = 1;
  int expectedExit = 0;
  uint32_t heldMegabytes = format::kHeldMegabytes; // of freed blocks; 0: they are not held back
  uint64_t stepLimit = 20'000'000; // points: a run that goes on longer does not count as a failure
  bool stopAtFirstFailure = true;
};

struct FoundFailure {
  uint64_t run = 0; // from 1
  ControlledRun how;
  ControlReport report;
};

struct ExploreResult {
  ExploreCounts counts;
  double seconds = 0;
  format::Holding holding = format::Holding::off; // of freed blocks, in the first run
  bool gaveBlocksBack = false;                    // in some run more were freed than are held back
  std::optional<FoundFailure> failure; // that of the lowest run
};

// `progress` is called now and then, from one thread at a time.
Result<ExploreResult> explore(const ExploreOptions& options, ScheduleSource& source,
                              const std::function<void(const ExploreCounts&)>& progress = {});

// Repeats a run that has been logged, this time recording it into the new directory `logs` (NewRecording::logs).
// Error nothingFound: the repeat differs; the message says where.
Result<ControlReport> recordAgain(const FoundFailure& found, const std::filesystem::path& logs);

} // namespace symbiosis
