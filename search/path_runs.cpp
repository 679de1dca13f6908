#include "search/path_runs.h"
#include "replay/keep_run.h"
#include "support/stopwatch.h"
#include "symexec/symexec.h"
#include "trace/recorded_order.h"
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

// Hundreds of runs are recorded and forgotten: in memory that costs a fraction of what it does on a disk.
static fs::path placeForRuns() {
  constexpr uint64_t kEnough = uint64_t{1} << 30; // bytes
  const fs::path memory = "/dev/shm";
  std::error_code unknown;
  const fs::space_info room = fs::space(memory, unknown);
  const bool isUsable = !unknown && room.available >= kEnough && ::access(memory.c_str(), W_OK) == 0;
  return isUsable && !std::getenv("TMPDIR") ? memory : fs::temp_directory_path();
}

Result<PathRuns> PathRuns::make(PathProgram program) {
  Result<OwnedDirectory> place = OwnedDirectory::make(placeForRuns(), "symbiosis-paths-");
  if (!place) return place.error();
  return PathRuns(std::move(program), std::move(*place));
}

Result<PathRuns> PathRuns::of(const RecordOptions& options) {
  Result<LaunchOptions> launch = launchFor(options);
  if (!launch) return launch.error();
  if (!isInstrumentedProgram(launch->program))
    return badInput(fmt::format("{}: not built with 'symbiosis cc'; build it with: symbiosis cc -g -O1 … -o {}",
                                launch->program.string(), launch->program.filename().string()));
  launch->quiet = true;
  launch->program = fs::absolute(launch->program);
  return make({.launch = *launch,
               .name = options.command[0],
               .expectedExit = options.expectedExit,
               .heldMegabytes = options.heldMegabytes});
}

Result<RecordedRun> PathRuns::keep(const ExecutedRun& run, size_t number, const RecordOptions& options) const {
  RecordObserver silent;
  const FailedRun failed{run.logs, run.report.ending, number, run.report.text, {}, program_.heldMegabytes};
  return keepRun(failed, program_.launch, options, {isInstrumentedProgram, sourceFilesOf}, silent);
}

ControlledRun PathRuns::free() const {
  ControlledRun run;
  run.launch = program_.launch;
  run.heldMegabytes = program_.heldMegabytes;
  run.stepLimit = program_.stepLimit;
  run.place = place_.path();
  run.strategy = format::Strategy::fair;
  run.log = format::ControlLog::switches;
  return run;
}

Result<ControlledRun> PathRuns::along(const ExploredPath& path, const Schedule& schedule,
                                      Expectation expectation) const {
  ReplayOptions options;
  options.expectation = expectation;
  Result<ControlledRun> planned = runAlong(path.run.recording, schedule, options);
  if (!planned) return planned;
  ControlledRun run = free();
  run.plan = std::move(planned->plan);
  return run;
}

// A thread was asked to end, and its schedule may have kept that from it: who then waits for it is not known to
// wait for ever.
static bool mayWaitForOurs(const ControlReport& report) {
  return report.outcome == format::ControlOutcome::deadlock &&
         std::any_of(report.log.begin(), report.log.end(), [](const format::ControlEntry& entry) {
           return (entry.object & format::kCancellations) != 0;
         });
}

Result<ExecutedRun> PathRuns::execute(ControlledRun how) {
  std::error_code ignored;
  ExecutedRun run;
  run.logs = place_.path() / "logs";
  fs::remove_all(run.logs, ignored);
  how.recordTo = run.logs;
  Result<ControlReport> report = timed(times_.running, [&] { return runControlled(how); });
  if (!report) return report.error();
  ++executions_;
  run.report = std::move(*report);
  run.outcome = mayWaitForOurs(run.report) ? RunOutcome::stuck : outcomeOf(run.report, program_.expectedExit);
  return run;
}

Result<ExploredPath> PathRuns::walk(const ExecutedRun& run, size_t number) {
  NewRecording recording;
  recording.logs = run.logs;
  recording.executable = program_.launch.program;
  recording.info.program = program_.name;
  recording.info.arguments = program_.launch.arguments;
  recording.info.ending = run.report.ending;
  recording.info.problem = run.report.text;
  recording.info.expectedExit = program_.expectedExit;
  recording.info.standardInput = program_.launch.standardInput;
  recording.info.heldMegabytes = program_.heldMegabytes;
  const fs::path directory = place_.path() / "recording";
  Result<Recording> saved = timed(times_.saving, [&]() -> Result<Recording> {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    if (Result<void> done = saveRecording(recording, directory, place_.path() / "programs"); !done)
      return done.error();
    return openRecording(directory);
  });
  if (!saved) return saved.error();
  Result<SymbolicTrace> trace =
      timed(times_.walking, [&] { return executeSymbolically(*saved, SymexecOptions{.keepMarks = true}); });
  if (!trace) return trace.error();
  WalkedRun walked{std::move(*saved), std::move(*trace), {}};
  walked.order = recordedOrder(walked.trace, walked.recording);
  return makePath(std::move(walked), run.report, run.outcome, number);
}

} // namespace symbiosis
