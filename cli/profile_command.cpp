// `symbiosis profile`: run the program until a run fails, and keep that run.
#include "cli/command.h"
#include "cli/program_command.h"
#include "cli/progress.h"
#include "cli/waiting_words.h"
#include "replay/guest_strategies.h"
#include "replay/record.h"
#include "symexec/symexec.h"
#include "trace/recording.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>
#include <thread>
#include <unistd.h>

namespace symbiosis {

namespace {

constexpr uint64_t kNativeRunsOfAuto = 5;

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

// Says what `record` does.
class ProfileWords : public RecordObserver {
public:
  explicit ProfileWords(uint64_t seed) : seed_(seed) {}

  void beginsNativeRun(uint64_t run, uint64_t of) override {
    progress_.show(fmt::format("native run {} of {}", run, of));
  }
  void beginsRunOfDescendants(uint64_t run, uint64_t of) override {
    progress_.show(fmt::format("run {} of {}", run, of));
  }
  void descendantFailed(const RecordedProcess& process) override {
    fmt::print("symbiosis: this program failed: {}\n", commandLine(process));
    fmt::print("symbiosis: replays run it alone, in {}, with this environment and no standard input\n",
               process.workingDirectory);
  }
  void descendantsPassed(const std::set<std::string>& commands) override {
    progress_.clear();
    fmt::print("symbiosis: schedules are explored only for a program that is profiled directly. Recorded were:\n");
    for (const std::string& command : commands) fmt::print("  symbiosis profile -- {}\n", command);
  }
  void explores(const ExploreCounts& counts) override {
    progress_.show(fmt::format("{} schedules explored, {} failed", counts.runs, counts.failed));
  }
  void explored(const ExploreResult& result) override {
    const ExploreCounts& counts = result.counts;
    fmt::print("symbiosis: explored {} schedules in {:.1f} s: {} failed", counts.runs, result.seconds,
               counts.failed);
    if (counts.limited) fmt::print(", {} were cut off as too long", counts.limited);
    if (counts.stuck) fmt::print(", {} were stuck", counts.stuck);
    fmt::print("\n");
    if (result.failure)
      fmt::print("symbiosis: schedule {} of seed {} fails ({}); repeating it with everything recorded\n",
                 result.failure->run, seed_, toText(result.failure->how.strategy));
  }
  void keepsElsewhere(const Error& why) override {
    fmt::print("symbiosis: {}; the recording is kept elsewhere\n", why.message);
  }

private:
  uint64_t seed_;
  Progress progress_;
};

std::string describeFailure(const Recording& recording, const WaitingWords& waiting) {
  if (!waiting.failure.empty()) return waiting.failure;
  if (!recording.info.problem.empty()) return recording.info.problem;
  if (!recording.failure) return toText(recording.info.ending);
  std::string thread = "?";
  for (const ThreadLog& log : recording.threads)
    if (log.serial == recording.failure->serial) thread = log.id;
  return fmt::format("{} in thread {}", toText(*recording.failure), thread);
}

void printRecorded(const RecordedRun& run, const Recording& recording, uint64_t valueLimit) {
  const WaitingWords waiting = waitingWords(recording);
  fmt::print("symbiosis: run {} failed: {}\n", run.number, describeFailure(recording, waiting));
  for (const std::string& wait : waiting.waits) fmt::print("symbiosis:   {}\n", wait);
  fmt::print("symbiosis: recorded {} threads at level {}, {:.1f} kB in {}\n", recording.threads.size(),
             format::levelName(recording.info.level), double(recording.info.logBytes) / 1000,
             run.directory.string());
  if (recording.forked)
    fmt::print("symbiosis: the program forked {} time{}; its children are not recorded\n", recording.forked,
               recording.forked == 1 ? "" : "s");
  for (const ThreadLog& thread : recording.threads)
    if (thread.valuesDropped)
      fmt::print("symbiosis: thread {}: the values past the limit of {} MB were dropped, its path is complete; "
                 "record less with --record {}, or more with --value-limit\n",
                 thread.id, valueLimit, recording.info.level == format::Level::full ? "addresses" : "path");
  hintAtDebugInformation(recording.sources);
  fmt::print("symbiosis: next: symbiosis diagnose{}\n", run.isLatest ? "" : " " + run.directory.string());
}

// What is recorded, without what is only known while it is done.
RecordOptions recordOptions(const ProfileOptions& options) {
  RecordOptions result;
  result.command = options.command;
  if (!::isatty(STDIN_FILENO)) // captured once, fed to every run
    result.standardInput = std::string(std::istreambuf_iterator<char>(std::cin), {});
  result.timeoutSeconds = options.timeout;
  result.expectedExit = options.expectedExit;
  result.runs = options.runs;
  if (options.schedule == "native") result.nativeRuns = options.runs;
  if (options.schedule == "auto") result.nativeRuns = std::min(options.runs, kNativeRunsOfAuto);
  result.level = levelNamed(options.level);
  result.valueLimit = options.valueLimit * 1'000'000;
  result.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  result.directory = options.directory;
  return result;
}

Result<void> profile(const ProfileOptions& options) {
  RecordOptions recording = recordOptions(options);
  std::optional<GuestStrategies> schedules;
  if (const auto strategies = strategiesNamed(options.schedule == "auto" ? "portfolio" : options.schedule))
    recording.schedules = &schedules.emplace(*strategies, options.seed);
  Result<RecordedRun> run = [&] {
    ProfileWords words(options.seed);
    return record(recording, {isInstrumentedProgram, sourceFilesOf}, words);
  }();
  if (!run) return run.error();
  Result<Recording> recorded = openRecording(run->directory);
  if (!recorded) return recorded.error();
  printRecorded(*run, *recorded, options.valueLimit);
  return {};
}

// --- what --schedule takes: the strategies by name, and words of our own ---

std::vector<std::string> scheduleNames() {
  std::vector<std::string> names = {"auto", "native"};
  for (format::Strategy strategy : portfolio()) names.push_back(toText(strategy));
  names.push_back("portfolio");
  return names;
}

std::string scheduleHelp() {
  std::string help = "native: runs as they come";
  for (format::Strategy strategy : portfolio())
    help += fmt::format("; {}: {}", toText(strategy), format::rowOf(strategy).text);
  return help + fmt::format("; portfolio: explores with these in turn; auto: {} native runs, then the portfolio",
                            kNativeRunsOfAuto);
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
  command->add_option("--schedule", options->schedule, scheduleHelp())
      ->capture_default_str()
      ->check(CLI::IsMember(scheduleNames()));
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
    Result<void> done = profile(*options);
    exitCode = done ? 0 : report(done.error());
  });
}

} // namespace symbiosis
