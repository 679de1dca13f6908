// `symbiosis profile`: run the program until a run fails, and keep that run.
#include "cli/command.h"
#include "cli/program_command.h"
#include "cli/progress.h"
#include "cli/recorded_processes.h"
#include "cli/waiting_words.h"
#include "replay/explore.h"
#include "replay/launch.h"
#include "support/files.h"
#include "symexec/symexec.h"
#include "trace/recording.h"
#include <cstring>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct ProfileOptions {
  std::vector<std::string> command;
  std::string level = "addresses";
  uint64_t valueLimit = 1024; // megabytes
  std::string schedule = "auto";
  uint64_t runs = 1000;
  uint64_t seed = 1;
  unsigned jobs = 0; // 0: one per core
  double timeout = 60;
  int expectedExit = 0;
  std::string directory;
};

// Where one profiling session keeps its things until it is over.
class Session {
public:
  static Result<std::unique_ptr<Session>> create(const fs::path& store, const ProfileOptions& options) {
    std::unique_ptr<Session> session(new Session);
    std::error_code error;
    fs::create_directories(store, error);
    if (error) return badInput(fmt::format("{}: cannot create: {}", store.string(), error.message()));
    Result<fs::path> logs = makeTemporaryDirectory(fs::absolute(store), ".session-");
    if (!logs) return logs.error();
    session->logs_ = *logs;
    // Better said now than after a failure that may not come again soon.
    if (Result<void> room = checkRoom(session->logs_, format::kFirstLogs); !room) return room.error();
    Result<fs::path> directory = makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-");
    if (!directory) return directory.error();
    session->directory_ = *directory;
    format::SessionConfig config = {};
    std::memcpy(config.magic, format::kConfigMagic, sizeof config.magic);
    config.version = format::kFormatVersion;
    config.mode = format::recordingMode(levelNamed(options.level));
    config.valueLimit = options.valueLimit * 1'000'000;
    const std::string path = session->logs_.string();
    if (path.size() >= sizeof config.logDirectory) return badInput(fmt::format("{}: the path is too long", path));
    std::memcpy(config.logDirectory, path.c_str(), path.size() + 1);
    Result<void> written = writeFileAtomically(
        session->directory_ / "config", std::string_view(reinterpret_cast<const char*>(&config), sizeof config));
    if (!written) return written.error();
    return session;
  }
  ~Session() {
    std::error_code ignored;
    if (!logs_.empty()) fs::remove_all(logs_, ignored);
    if (!directory_.empty()) fs::remove_all(directory_, ignored);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const fs::path& directory() const { return directory_; }
  std::vector<RecordedProcess> processes() const { return recordedProcesses(logs_); }
  // For the logs of a run that is repeated.
  fs::path newLogs() const { return logs_ / "repeated"; }
  void forgetRun() const {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(logs_, error))
      fs::remove_all(entry.path(), error);
  }

private:
  Session() = default;
  fs::path logs_, directory_;
};

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

bool failed(const Ending& ending, int expectedExit) {
  return ending.kind != EndingKind::exited || ending.code != expectedExit;
}

std::string describeFailure(const Recording& recording, const WaitingWords& waiting) {
  if (!waiting.failure.empty()) return waiting.failure;
  if (!recording.info.problem.empty()) return recording.info.problem;
  if (!recording.failure) return toText(recording.info.ending);
  std::string thread = "?";
  for (const ThreadLog& log : recording.threads)
    if (log.serial == recording.failure->serial) thread = log.id;
  return fmt::format("{} in thread {}", toText(*recording.failure), thread);
}

// A run that failed: its logs, how it ended, and how many runs it took.
struct FailedRun {
  fs::path logs;
  Ending ending;
  uint64_t runs = 0;
  std::string problem;                            // in words, if the runtime had something to say
  std::optional<RecordedProcess> descendant = {}; // the one of them that is kept; nothing: the program itself
};

// Whose run it is: the program's own, or that of a descendant, which is later run alone.
NewRecording describe(const FailedRun& run, const LaunchOptions& launchOptions, const ProfileOptions& options) {
  NewRecording recording;
  recording.logs = run.logs;
  recording.executable = launchOptions.program;
  recording.info.program = options.command[0];
  recording.info.arguments = launchOptions.arguments;
  recording.info.ending = run.ending;
  recording.info.expectedExit = options.expectedExit;
  recording.info.workingDirectory = fs::current_path().string();
  recording.info.standardInput = launchOptions.standardInput;
  recording.info.runs = run.runs;
  recording.info.problem = run.problem;
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
Result<fs::path> keepElsewhere(const NewRecording& recording, const Error& why) {
  Result<fs::path> spare = makeTemporaryDirectory(fs::temp_directory_path(), "symbiosis-kept-");
  if (!spare) return why;
  const fs::path directory = *spare / "recording";
  if (!saveRecording(recording, directory, *spare / "programs")) {
    std::error_code ignored;
    fs::remove_all(*spare, ignored);
    return why;
  }
  fmt::print("symbiosis: {}; the recording is kept elsewhere\n", why.message);
  return directory;
}

Result<fs::path> keepRun(const FailedRun& run, const LaunchOptions& launchOptions, const ProfileOptions& options) {
  const fs::path store = ".symbiosis";
  NewRecording recording = describe(run, launchOptions, options);
  const fs::path directory = options.directory.empty() ? freeName(store, recording.executable.filename().string())
                                                       : fs::path(options.directory);
  if (fs::exists(directory))
    return badInput(fmt::format("{}: exists already; choose another -o", directory.string()));
  recording.info.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (Result<std::vector<std::string>> files = sourceFilesOf(recording.executable)) recording.sourceFiles = *files;
  if (Result<void> saved = saveRecording(recording, directory, store / "programs"); !saved)
    return keepElsewhere(recording, saved.error());
  if (options.directory.empty())
    if (Result<void> linked = pointLatestTo(store, directory); !linked) return linked.error();
  return directory;
}

Error notInstrumented(const fs::path& program) {
  return badInput(
      fmt::format("{}: not built with 'symbiosis cc', and it started no program that was, so there is nothing to "
                  "record. Build with\n"
                  "  symbiosis cc -g -O1 … -o {}        or   CC=\"symbiosis cc\" CXX=\"symbiosis c++\" make\n"
                  "A script, make or ctest can be profiled, too: the programs that it starts are recorded if they "
                  "were built so",
                  program.string(), program.filename().string()));
}

// The disk was full, the program has left the recorder without memory or descriptors, or did what cannot be
// recorded.
Error incomplete(const RecordedProcess& process, const Ending& ending, uint64_t run) {
  return gaveUp(fmt::format(
      "run {} failed ({}), but the recording is incomplete: {}; nothing was kept. Remove the reason (if it "
      "is room: record less with --record path) and profile again",
      run, toText(ending), process.problem));
}

// The run of a process that the program started.
FailedRun runOf(const RecordedProcess& process, const Ending& ending, uint64_t run) {
  fmt::print("symbiosis: this program failed: {}\n", commandLine(process));
  fmt::print("symbiosis: replays run it alone, in {}, with this environment and no standard input\n",
             process.workingDirectory);
  const bool hangs = ending.kind == EndingKind::timedOut && !process.saysWhy;
  return {process.logs, hangs ? ending : endingOf(process), run, {}, process};
}

// A script, make or ctest: its instrumented descendants are recorded, and the one that failed is kept. Only as
// they come: under control a program runs alone.
Result<std::optional<FailedRun>> runDescendants(const Session& session, LaunchOptions launchOptions, uint64_t runs,
                                                const ProfileOptions& options, Progress& progress) {
  launchOptions.environment = {{format::kSessionVariable, session.directory().string()}};
  std::set<std::string> commands;
  for (uint64_t run = 1; run <= runs; ++run) {
    progress.show(fmt::format("run {} of {}", run, runs));
    launchOptions.quiet = run > 1;
    Result<Ending> ending = launch(launchOptions);
    if (!ending) return ending.error();
    const std::vector<RecordedProcess> processes = session.processes();
    if (processes.empty()) return notInstrumented(launchOptions.program);
    if (failed(*ending, options.expectedExit)) {
      const RecordedProcess& first = processes.front();
      if (!failed(first) || first.arguments.empty())
        return badInput(fmt::format("{} failed ({}), but none of the {} recorded programs that it started did; "
                                    "build the one that fails with: symbiosis cc",
                                    launchOptions.program.string(), toText(*ending), processes.size()));
      if (!first.problem.empty()) return incomplete(first, *ending, run);
      return std::optional<FailedRun>(runOf(first, *ending, run));
    }
    for (const RecordedProcess& process : processes) commands.insert(commandLine(process));
    session.forgetRun();
  }
  progress.clear();
  fmt::print("symbiosis: schedules are explored only for a program that is profiled directly. Recorded were:\n");
  for (const std::string& command : commands) fmt::print("  symbiosis profile -- {}\n", command);
  return std::optional<FailedRun>();
}

// Runs the program as it is, recorded, up to `runs` times; nothing if none failed.
Result<std::optional<FailedRun>> runNatively(const Session& session, LaunchOptions launchOptions, uint64_t runs,
                                             const ProfileOptions& options, Progress& progress) {
  launchOptions.environment = {{format::kSessionVariable, session.directory().string()}};
  for (uint64_t run = 1; run <= runs; ++run) {
    progress.show(fmt::format("native run {} of {}", run, runs));
    launchOptions.quiet = run > 1; // the first run shows what the program says
    Result<Ending> ending = launch(launchOptions);
    if (!ending) return ending.error();
    if (failed(*ending, options.expectedExit)) {
      const std::vector<RecordedProcess> processes = session.processes();
      if (processes.empty())
        return badInput(fmt::format("{}: the run failed ({}) before anything was recorded",
                                    launchOptions.program.string(), toText(*ending)));
      // It may have started, or become, another recorded program, and that is the one that failed.
      const RecordedProcess& first = processes.front();
      if (!first.problem.empty()) return incomplete(first, *ending, run);
      std::error_code unknown;
      const bool isItself =
          first.executable.empty() || fs::equivalent(first.executable, launchOptions.program, unknown) || unknown;
      return std::optional<FailedRun>(isItself ? FailedRun{first.logs, *ending, run, {}, {}}
                                               : runOf(first, *ending, run));
    }
    session.forgetRun();
  }
  return std::optional<FailedRun>();
}

// Runs the program under control, each time with another schedule; the one that fails is repeated once with
// everything logged (record cheap, replay rich).
Result<std::optional<FailedRun>> exploreSchedules(const Session& session, const LaunchOptions& launchOptions,
                                                  Exploration exploration, uint64_t earlierRuns,
                                                  const ProfileOptions& options, Progress& progress) {
  ExploreOptions exploreOptions;
  exploreOptions.launch = launchOptions;
  exploreOptions.launch.quiet = true;
  exploreOptions.exploration = exploration;
  exploreOptions.runs = options.runs - earlierRuns;
  exploreOptions.seed = options.seed;
  exploreOptions.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  exploreOptions.expectedExit = options.expectedExit;
  Result<ExploreResult> explored = explore(exploreOptions, [&](const ExploreCounts& counts) {
    progress.show(fmt::format("{} schedules explored, {} failed", counts.runs, counts.failed));
  });
  if (!explored) return explored.error();
  const ExploreCounts& counts = explored->counts;
  fmt::print("symbiosis: explored {} schedules in {:.1f} s: {} failed", counts.runs, explored->seconds,
             counts.failed);
  if (counts.limited) fmt::print(", {} were cut off as too long", counts.limited);
  if (counts.stuck) fmt::print(", {} were stuck", counts.stuck);
  fmt::print("\n");
  if (!explored->failure) return std::optional<FailedRun>();
  fmt::print("symbiosis: schedule {} of seed {} fails ({}); repeating it with everything recorded\n",
             explored->failure->run, options.seed, toText(explored->failure->how.strategy));
  const fs::path logs = session.newLogs();
  Result<ControlReport> again = recordAgain(*explored->failure, logs);
  if (!again) return again.error();
  return std::optional<FailedRun>(
      FailedRun{logs, again->ending, earlierRuns + explored->failure->run, again->text});
}

std::optional<Exploration> explorationNamed(const std::string& name) {
  if (name == "random") return Exploration::randomWalk;
  if (name == "pct") return Exploration::pct;
  if (name == "pos") return Exploration::pos;
  if (name == "portfolio" || name == "auto") return Exploration::portfolio;
  return std::nullopt;
}

Error nothingFailed(uint64_t runs, const ProfileOptions& options) {
  return nothingFound(fmt::format("{} runs, and none failed ({} expected). Run more with --runs {}, or make the "
                                  "failure visible with an assert()",
                                  runs, toText(Ending{EndingKind::exited, options.expectedExit}),
                                  options.runs * 10));
}

Result<int> profile(const ProfileOptions& options) {
  Result<fs::path> program = findProgram(options.command[0]);
  if (!program) return program.error();
  const bool isItself = isInstrumentedProgram(*program);
  if (!isItself && options.schedule != "auto" && options.schedule != "native")
    return badInput(
        fmt::format("{}: not built with 'symbiosis cc'; schedules are explored only for a program that is "
                    "profiled directly, not for those that it starts",
                    program->string()));
  Result<std::unique_ptr<Session>> session = Session::create(".symbiosis", options);
  if (!session) return session.error();
  LaunchOptions launchOptions;
  launchOptions.program = *program;
  launchOptions.arguments = {options.command.begin() + 1, options.command.end()};
  launchOptions.argumentZero = options.command[0];
  launchOptions.timeoutSeconds = options.timeout;
  if (!::isatty(STDIN_FILENO)) // captured once, fed to every run
    launchOptions.standardInput = std::string(std::istreambuf_iterator<char>(std::cin), {});
  Progress progress;

  // First as it is: what fails by itself needs no help. Then with schedules that plain runs hardly ever take.
  constexpr uint64_t kNativeRunsOfAuto = 5;
  uint64_t runs = 0;
  std::optional<FailedRun> failedRun;
  if (options.schedule == "native" || options.schedule == "auto") {
    runs = options.schedule == "native" ? options.runs : std::min(options.runs, kNativeRunsOfAuto);
    Result<std::optional<FailedRun>> native =
        isItself ? runNatively(**session, launchOptions, runs, options, progress)
                 : runDescendants(**session, launchOptions, runs, options, progress);
    if (!native) return native.error();
    failedRun = *native;
  }
  const std::optional<Exploration> exploration = explorationNamed(options.schedule);
  if (isItself && !failedRun && exploration && runs < options.runs) {
    Result<std::optional<FailedRun>> explored =
        exploreSchedules(**session, launchOptions, *exploration, runs, options, progress);
    if (!explored) return explored.error();
    failedRun = *explored;
    runs = options.runs;
  }
  progress.clear();
  if (!failedRun) return nothingFailed(runs, options);
  Result<fs::path> kept = keepRun(*failedRun, launchOptions, options);
  if (!kept) return kept.error();
  Result<Recording> recording = openRecording(*kept);
  if (!recording) return recording.error();
  const WaitingWords waiting = waitingWords(*recording);
  fmt::print("symbiosis: run {} failed: {}\n", failedRun->runs, describeFailure(*recording, waiting));
  for (const std::string& wait : waiting.waits) fmt::print("symbiosis:   {}\n", wait);
  fmt::print("symbiosis: recorded {} threads at level {}, {:.1f} kB in {}\n", recording->threads.size(),
             format::levelName(recording->info.level), double(recording->info.logBytes) / 1000, kept->string());
  if (recording->forked)
    fmt::print("symbiosis: the program forked {} time{}; its children are not recorded\n", recording->forked,
               recording->forked == 1 ? "" : "s");
  for (const ThreadLog& thread : recording->threads)
    if (thread.valuesDropped)
      fmt::print("symbiosis: thread {}: the values past the limit of {} MB were dropped, its path is complete; "
                 "record less with --record {}, or more with --value-limit\n",
                 thread.id, options.valueLimit,
                 recording->info.level == format::Level::full ? "addresses" : "path");
  hintAtDebugInformation(recording->sources);
  std::error_code error;
  const bool isLatest = fs::equivalent(fs::path(".symbiosis") / "latest", *kept, error) && !error;
  fmt::print("symbiosis: next: symbiosis diagnose{}\n", isLatest ? "" : " " + kept->string());
  return 0;
}

} // namespace

void addProfileCommand(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = app.add_subcommand(
      "profile", "Run a program built with `symbiosis cc` until a run fails, and record that run in .symbiosis/");
  command
      ->add_option(
          "--record", options->level,
          "path: branches, sync operations and inputs; addresses: also the values that can become "
          "addresses; full: all values read from possibly-shared memory. A run that was found by exploring "
          "is always recorded in full")
      ->capture_default_str()
      ->check(CLI::IsMember({"path", "addresses", "full"}));
  command->add_option("--value-limit", options->valueLimit, "Megabytes of values to keep of one run; 0: all")
      ->capture_default_str();
  command
      ->add_option(
          "--schedule", options->schedule,
          "native: runs as they come; random, pct, pos: explore schedules; portfolio: all three in turn; auto: "
          "5 native runs, then the portfolio")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "native", "random", "pct", "pos", "portfolio"}));
  command->add_option("--seed", options->seed, "Of the exploration; the same seed gives the same runs")
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Runs at once while exploring (default: one per core)");
  command->add_option("--runs", options->runs, "Give up after so many runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--timeout", options->timeout, "Seconds after which a run counts as hanging")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--expect-exit", options->expectedExit, "The exit status of a run that passes; any other fails")
      ->capture_default_str();
  command->add_option("-o", options->directory, "Directory for the recording (default: .symbiosis/<program>-<n>)");
  addProgramCommand(*command, options->command);
  command->callback([options, &exitCode] {
    Result<int> done = profile(*options);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
