#include "replay/keep_run.h"
#include "replay/controlled_run.h"
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// A name that is not yet taken: `.symbiosis/<program>-<n>`.
fs::path freeName(const fs::path& store, const std::string& program) {
  for (unsigned n = 1;; ++n) {
    fs::path candidate = store / fmt::format("{}-{}", program, n);
    if (!fs::exists(candidate)) return candidate;
  }
}

Result<void> pointLatestTo(const fs::path& store, const fs::path& recording) {
  std::error_code error;
  fs::path link = store / "latest", next = store / fmt::format(".latest-{}", ::getpid());
  fs::remove(next, error);
  fs::create_symlink(recording.filename(), next, error);
  if (!error) fs::rename(next, link, error);
  if (error) return badInput(fmt::format("{}: cannot update: {}", link.string(), error.message()));
  return {};
}

// Whose run it is: the program's own, or that of a descendant, which is later run alone.
NewRecording describe(const FailedRun& run, const LaunchOptions& launchOptions, const RecordOptions& options) {
  NewRecording recording;
  recording.logs = run.logs;
  recording.executable = launchOptions.program;
  recording.info.program = options.command[0];
  recording.info.arguments = launchOptions.arguments;
  recording.info.ending = run.ending;
  recording.info.expectedExit = options.expectedExit;
  recording.info.workingDirectory = fs::current_path().string();
  recording.info.standardInput = launchOptions.standardInput;
  recording.info.runs = run.number;
  recording.info.problem = run.problem;
  recording.info.heldMegabytes = run.heldMegabytes;
  // A misuse that was noticed without is repeated with freed blocks held back: then it is noticed for sure.
  const std::optional<format::FailureRecord> failure = readFailure(run.logs / "failure");
  const bool isMisuse = failure && failure->misuse != format::HeapMisuse::none;
  if (isMisuse && !run.heldMegabytes) recording.info.heldMegabytes = format::kHeldMegabytes;
  recording.info.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (!run.descendant) return recording;
  recording.executable = run.descendant->executable;
  recording.info.program = run.descendant->arguments.at(0);
  recording.info.arguments = {run.descendant->arguments.begin() + 1, run.descendant->arguments.end()};
  recording.info.workingDirectory = run.descendant->workingDirectory;
  recording.info.expectedExit = 0;
  recording.info.standardInput = std::nullopt;
  return recording;
}

// The place that was meant for it could not take it: a failure that took long to find is not thrown away.
Result<fs::path> keepElsewhere(const NewRecording& recording, const Error& why, RecordObserver& observer) {
  Result<fs::path> spare = makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-kept-");
  if (!spare) return why;
  const fs::path directory = *spare / "recording";
  if (!saveRecording(recording, directory, *spare / "programs")) {
    std::error_code ignored;
    fs::remove_all(*spare, ignored);
    return why;
  }
  observer.keepsElsewhere(why);
  return directory;
}

} // namespace

Result<RecordedRun> keepRun(const FailedRun& run, const LaunchOptions& launchOptions, const RecordOptions& options,
                            const SnapshotReader& snapshots, RecordObserver& observer) {
  NewRecording recording = describe(run, launchOptions, options);
  const fs::path directory = options.directory.empty()
                                 ? freeName(options.store, recording.executable.filename().string())
                                 : options.directory;
  if (fs::exists(directory))
    return badInput(fmt::format("{}: exists already; choose another -o", directory.string()));
  if (Result<std::vector<std::string>> files = snapshots.sourceFiles(recording.executable))
    recording.sourceFiles = *files;
  if (Result<void> saved = saveRecording(recording, directory, options.store / "programs"); !saved) {
    Result<fs::path> elsewhere = keepElsewhere(recording, saved.error(), observer);
    if (!elsewhere) return elsewhere.error();
    return RecordedRun{*elsewhere, run.number, false};
  }
  const bool isLatest = options.directory.empty();
  if (isLatest)
    if (Result<void> linked = pointLatestTo(options.store, directory); !linked) return linked.error();
  return RecordedRun{directory, run.number, isLatest};
}

} // namespace symbiosis
