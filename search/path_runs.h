#pragma once
// Runs the program, records what it does with everything, and makes a path of it.
#include "replay/record.h"
#include "search/explored_path.h"
#include "support/owned_directory.h"

namespace symbiosis {

struct PathProgram {
  LaunchOptions launch; // program, arguments, input, time-out of one run
  std::string name;     // as it was called
  int expectedExit = 0;
  uint32_t heldMegabytes = format::kHeldMegabytes;
  uint64_t stepLimit = 2'000'000; // points of one run
};

struct PathRunTimes {
  double running = 0, saving = 0, walking = 0; // seconds
};

// One run, and where its logs are until the next one.
struct ExecutedRun {
  ControlReport report;
  RunOutcome outcome = RunOutcome::passed;
  std::filesystem::path logs;
};

class PathRuns {
public:
  static Result<PathRuns> make(PathProgram program);
  // Of a command. Errors: there is no such program, or it was not built with `symbiosis cc`.
  static Result<PathRuns> of(const RecordOptions& options);

  // A run without a schedule.
  ControlledRun free() const;
  // Along a schedule that was found on `path`, and on from there.
  Result<ControlledRun> along(const ExploredPath& path, const Schedule& schedule, Expectation expectation) const;

  Result<ExecutedRun> execute(ControlledRun how);
  // Its path, as number `number`. Errors: it cannot be followed.
  Result<ExploredPath> walk(const ExecutedRun& run, size_t number);

  // As a recording like those of `profile`; the run was execution `number`.
  Result<RecordedRun> keep(const ExecutedRun& run, size_t number, const RecordOptions& options) const;

  const PathProgram& program() const { return program_; }
  const PathRunTimes& times() const { return times_; }
  size_t executions() const { return executions_; }

private:
  PathRuns(PathProgram program, OwnedDirectory place) : program_(std::move(program)), place_(std::move(place)) {}

  PathProgram program_;
  OwnedDirectory place_;
  PathRunTimes times_;
  size_t executions_ = 0;
};

} // namespace symbiosis
