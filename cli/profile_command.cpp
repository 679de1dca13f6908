// `symbiosis profile`: run the program until a run fails, and keep that run.
#include "cli/command.h"
#include "cli/profile_words.h"
#include "cli/program_command.h"
#include "replay/guest_strategies.h"
#include "replay/record.h"
#include "symexec/symexec.h"
#include "trace/recording.h"
#include <fmt/format.h>
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
  std::string heap = "on";
  std::string directory;
  bool keepsPassing = false;
};

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
  if (options.heap == "off") result.heldMegabytes = 0;
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
    return (options.keepsPassing ? recordPassing : record)(recording, {isInstrumentedProgram, sourceFilesOf}, words);
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
  command
      ->add_option("--heap", options->heap,
                   fmt::format("on: under control, freed blocks are held back ({} MB, {} blocks at most, the oldest "
                               "go first), so that every use of one is noticed; off: they are used again at once, "
                               "for failures that need that",
                               format::kHeldMegabytes, format::kMostHeldBlocks))
      ->capture_default_str()
      ->check(CLI::IsMember({"on", "off"}));
  command->add_flag("--keep-passing", options->keepsPassing,
                    "Record the first run that passes, instead of looking for one that fails");
  command->add_option("-o", options->directory, "Directory for the recording (default: .symbiosis/<program>-<n>)");
  addProgramCommand(*command, options->command);
  command->callback([options, &exitCode] {
    Result<void> done = profile(*options);
    exitCode = done ? 0 : report(done.error());
  });
}

} // namespace symbiosis
