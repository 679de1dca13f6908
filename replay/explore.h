#pragma once
// Runs a program again and again under control, each time with another schedule, until one fails. Run n of a seed
// is always the same run, whatever the number of jobs.
#include "replay/controlled_run.h"
#include <functional>

namespace symbiosis {

enum class Exploration { randomWalk, pct, pos, portfolio };

struct ExploreOptions {
  LaunchOptions launch; // program, arguments, input, time-out of one run
  Exploration exploration = Exploration::portfolio;
  uint64_t runs = 1000;
  uint64_t seed = 1;
  unsigned jobs = 1;
  int expectedExit = 0;
  uint64_t stepLimit = 20'000'000; // points: a run that goes on longer does not count as a failure
  bool stopAtFirstFailure = true;
};

struct ExploreCounts {
  uint64_t runs = 0, failed = 0;
  uint64_t limited = 0; // ended by the step limit
  uint64_t stuck = 0;   // ended by the supervisor or a time-out
};

struct FoundFailure {
  uint64_t run = 0; // from 1
  ControlledRun how;
  ControlReport report;
};

struct ExploreResult {
  ExploreCounts counts;
  double seconds = 0;
  std::optional<FoundFailure> failure; // that of the lowest run
};

// `progress` is called now and then, from one thread at a time.
Result<ExploreResult> explore(const ExploreOptions& options,
                              const std::function<void(const ExploreCounts&)>& progress = {});

// The run with this number, from 1; `expectedPoints`: of one run, for strategies that spread their changes over
// it.
ControlledRun explorationRun(const ExploreOptions& options, uint64_t run, uint64_t expectedPoints);
const char* toText(format::Strategy strategy);

bool isFailure(const ControlReport& report, int expectedExit);

// Repeats a run that has been logged, this time recording it into the new directory `logs` (NewRecording::logs).
// Error nothingFound: the repeat differs; the message says where.
Result<ControlReport> recordAgain(const FoundFailure& found, const std::filesystem::path& logs);

} // namespace symbiosis
