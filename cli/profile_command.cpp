// `symbiosis profile`: run the program until a run fails, and keep that run.
#include "cli/command.h"
#include "cli/profile_words.h"
#include "cli/program_command.h"
#include "replay/portfolio.h"
#include "replay/record.h"
#include "replay/shards.h"
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
  bool keepsGoing = false;
  std::string shard; // empty: there is only one
  std::string directory;
  bool keepsPassing = false;

  // Only runs under control have a number that others can repeat, and failures that can be told apart.
  bool exploresOnly() const { return keepsGoing || !shard.empty(); }
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
  if (options.schedule == "auto" && !options.exploresOnly())
    result.nativeRuns = std::min(options.runs, kNativeRunsOfAuto);
  result.keepsGoing = options.keepsGoing;
  if (options.heap == "off") result.heldMegabytes = 0;
  result.level = levelNamed(options.level);
  result.valueLimit = options.valueLimit * 1'000'000;
  result.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  result.directory = options.directory;
  return result;
}

// What a shard leaves for `symbiosis merge`.
Result<void> saveResult(const ProfileOptions& options, const RecordOptions& recording, const Shard& shard,
                        Portfolio& schedules, const ProfileWords& words, const Result<RecordedRun>& run) {
  const ExploreResult& explored = *words.result();
  ShardResult result;
  result.command = options.command;
  result.strategies = options.schedule == "auto" ? "portfolio" : options.schedule;
  result.seed = options.seed;
  result.shard = shard;
  result.schedules = options.runs;
  result.madeBelow = schedules.madeBelow();
  result.counts = explored.counts;
  result.dataflows = schedules.flows();
  result.countsDataflows = schedules.summarise().countsDataflows;
  auto note = [&](uint64_t number, const std::string& text, const RecordedRun& kept) {
    const std::string directory =
        kept.isLatest ? kept.directory.filename().string() : std::filesystem::absolute(kept.directory).string();
    result.failures.push_back({schedules.scheduleOf(number), text, directory});
  };
  for (size_t i = 0; i < explored.distinct.size() && i < words.kept().size(); ++i)
    note(explored.distinct[i].firstRun, explored.distinct[i].text, words.kept()[i]);
  if (explored.distinct.empty() && explored.failure && run)
    note(explored.failure->run, failureText(explored.failure->report), *run);
  return saveShard(result, recording.store);
}

Result<void> checkTogether(const ProfileOptions& options) {
  if (options.exploresOnly() && options.schedule == "native")
    return badInput("--keep-going and --shard are about schedules that are explored, not about --schedule native");
  if (options.keepsGoing && !options.directory.empty())
    return badInput("--keep-going makes a recording of each failure, and -o names one; leave out one of them");
  return {};
}

Result<void> profile(const ProfileOptions& options) {
  if (Result<void> checked = checkTogether(options); !checked) return checked;
  RecordOptions recording = recordOptions(options);
  const Result<Shard> shard = options.shard.empty() ? Shard{} : parseShard(options.shard);
  if (!shard) return shard.error();
  std::optional<Portfolio> schedules;
  if (const auto strategies = strategiesNamed(options.schedule == "auto" ? "portfolio" : options.schedule))
    recording.schedules = &schedules.emplace(*strategies, options.seed, *shard);
  if (!options.shard.empty()) recording.runs = schedules->runsFor(options.runs);
  ProfileWords words(options.seed, schedules ? &*schedules : nullptr);
  Result<RecordedRun> run =
      (options.keepsPassing ? recordPassing : record)(recording, {isInstrumentedProgram, sourceFilesOf}, words);
  words.end();
  if (!options.shard.empty() && words.result())
    if (Result<void> saved = saveResult(options, recording, *shard, *schedules, words, run); !saved) return saved;
  if (!run) return run.error();
  std::vector<RecordedRun> all = words.kept();
  if (all.empty()) all.push_back(*run);
  for (RecordedRun& each : all) {
    each.isLatest &= &each == &all.back(); // the others were
    Result<Recording> recorded = openRecording(each.directory);
    if (!recorded) return recorded.error();
    printRecorded(each, *recorded, options.valueLimit);
  }
  return {};
}

// --- what --schedule takes: the strategies by name, and words of our own ---

std::vector<std::string> scheduleNames() {
  std::vector<std::string> names = {"auto", "native"};
  for (format::Strategy strategy : allStrategies()) names.push_back(toText(strategy));
  names.push_back("portfolio");
  return names;
}

std::string scheduleHelp() {
  std::string help = "native: runs as they come";
  for (format::Strategy strategy : allStrategies())
    help += fmt::format("; {}: {}", toText(strategy), format::rowOf(strategy).text);
  return help + fmt::format("; portfolio: all of these, mostly those that show what is new; auto: {} native runs, "
                            "then the portfolio",
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
      ->add_option(
          "--heap", options->heap,
          fmt::format("on: under control, freed blocks are held back ({} MB, {} blocks at most, the oldest "
                      "go first), so that every use of one is noticed; off: they are used again at once, "
                      "for failures that need that",
                      format::kHeldMegabytes, format::kMostHeldBlocks))
      ->capture_default_str()
      ->check(CLI::IsMember({"on", "off"}));
  command->add_flag(
      "--keep-going", options->keepsGoing,
      "Explore all --runs, and record a run of each failure that is not like those before (by kind and "
      "place), instead of ending at the first");
  command->add_option("--shard", options->shard,
                      "i/n, from 0/n: of --runs schedules this machine makes every n-th, and leaves a result for "
                      "symbiosis merge in .symbiosis/; environment: from the variables of GoogleTest "
                      "(GTEST_SHARD_INDEX), Slurm (SLURM_ARRAY_TASK_ID) or a CI system (CI_NODE_INDEX)");
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
