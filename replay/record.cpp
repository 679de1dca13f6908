#include "replay/record.h"
#include "replay/keep_run.h"
#include "replay/native_runs.h"
#include <fmt/format.h>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

Result<fs::path> findProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name)) return badInput(fmt::format("{}: no such program", name));
    return fs::path(name);
  }
  std::string_view path = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
  while (!path.empty()) {
    const size_t end = path.find(':');
    fs::path candidate = fs::path(path.substr(0, end)) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
  }
  const bool isHere = fs::exists(name);
  return badInput(
      fmt::format("{}: not found in PATH{}", name, isHere ? fmt::format("; did you mean ./{}?", name) : ""));
}

// Runs the program under control, each time with another schedule; the one that fails is repeated once with
// everything logged (record cheap, replay rich).
Result<std::optional<FailedRun>> exploreSchedules(const RecordingSession& session,
                                                  const LaunchOptions& launchOptions, const RecordOptions& options,
                                                  RecordObserver& observer) {
  ExploreOptions exploreOptions;
  exploreOptions.launch = launchOptions;
  exploreOptions.launch.quiet = true;
  exploreOptions.runs = options.runs - options.nativeRuns;
  exploreOptions.jobs = options.jobs;
  exploreOptions.expectedExit = options.expectedExit;
  exploreOptions.heldMegabytes = options.heldMegabytes;
  Result<ExploreResult> explored =
      explore(exploreOptions, *options.schedules, [&](const ExploreCounts& counts) { observer.explores(counts); });
  if (!explored) return explored.error();
  observer.explored(*explored);
  if (!explored->failure) return std::optional<FailedRun>();
  const fs::path logs = session.newLogs();
  Result<ControlReport> again = recordAgain(*explored->failure, logs);
  if (!again) return again.error();
  return std::optional<FailedRun>(
      FailedRun{logs, again->ending, options.nativeRuns + explored->failure->run, again->text, {},
                explored->failure->how.heldMegabytes});
}

Error nothingFailed(uint64_t runs, const RecordOptions& options) {
  return nothingFound(fmt::format("{} runs, and none failed ({} expected). Run more with --runs {}, or make the "
                                  "failure visible with an assert()",
                                  runs, toText(Ending{EndingKind::exited, options.expectedExit}),
                                  options.runs * 10));
}

} // namespace

Result<RecordedRun> record(const RecordOptions& options, const SnapshotReader& snapshots,
                           RecordObserver& observer) {
  Result<fs::path> program = findProgram(options.command[0]);
  if (!program) return program.error();
  const bool isItself = snapshots.isInstrumented(*program);
  if (!isItself && options.nativeRuns == 0)
    return badInput(
        fmt::format("{}: not built with 'symbiosis cc'; schedules are explored only for a program that is "
                    "profiled directly, not for those that it starts",
                    program->string()));
  Result<RecordingSession> session = RecordingSession::create(options);
  if (!session) return session.error();
  LaunchOptions launchOptions;
  launchOptions.program = *program;
  launchOptions.arguments = {options.command.begin() + 1, options.command.end()};
  launchOptions.argumentZero = options.command[0];
  launchOptions.timeoutSeconds = options.timeoutSeconds;
  launchOptions.standardInput = options.standardInput;

  // First as it is: what fails by itself needs no help.
  auto run = isItself ? runNatively : runDescendants;
  Result<std::optional<FailedRun>> failed =
      run(*session, launchOptions, options.nativeRuns, options.expectedExit, observer);
  if (!failed) return failed.error();

  // Then with schedules that plain runs hardly ever take.
  const bool explores = isItself && options.schedules && options.nativeRuns < options.runs;
  if (!*failed && explores) failed = exploreSchedules(*session, launchOptions, options, observer);
  if (!failed) return failed.error();

  if (!*failed) return nothingFailed(explores ? options.runs : options.nativeRuns, options);
  return keepRun(**failed, launchOptions, options, snapshots, observer);
}

} // namespace symbiosis
