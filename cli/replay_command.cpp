// `symbiosis replay`: run the real program along a schedule, as often as you like.
#include "cli/command.h"
#include "cli/progress.h"
#include "replay/replay.h"
#include "support/files.h"
#include "trace/recording.h"
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct ReplayCommand {
  std::string directory;
  bool failing = false, alternate = false;
  std::string schedule;
  size_t times = 1;
};

struct ScheduleChoice {
  fs::path file;
  Expectation expectation = Expectation::fails;
};

Result<ScheduleChoice> chooseSchedule(const ReplayCommand& options, const fs::path& recording) {
  if (!options.schedule.empty()) return ScheduleChoice{options.schedule, Expectation::fails};
  const fs::path file = recording / "report" / (options.alternate ? "alternate.schedule" : "failing.schedule");
  if (!fs::exists(file))
    return badInput(
        fmt::format("{}: does not exist; make it with: symbiosis diagnose {}", file.string(), options.directory));
  return ScheduleChoice{file, options.alternate ? Expectation::passes : Expectation::fails};
}

bool asExpected(const ReplayOutcome& outcome, Expectation expectation) {
  return expectation == Expectation::fails ? outcome.result == ReplayResult::failedAsRecorded
                                           : outcome.passedFailurePoint;
}

Result<int> replay(const ReplayCommand& options) {
  Result<fs::path> directory = findRecording(options.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  Result<ScheduleChoice> choice = chooseSchedule(options, *directory);
  if (!choice) return choice.error();
  Result<std::string> text = readFile(choice->file);
  if (!text) return text.error();
  Result<Schedule> schedule = parseSchedule(*text, choice->file.string());
  if (!schedule) return schedule.error();
  ReplayOptions replayOptions;
  replayOptions.expectation = choice->expectation;
  replayOptions.standardInput = recording->info.standardInput;
  if (fs::is_directory(recording->info.workingDirectory))
    replayOptions.workingDirectory = recording->info.workingDirectory;
  Progress progress;
  size_t good = 0;
  for (size_t run = 1; run <= options.times; ++run) {
    progress.show(fmt::format("replay {} of {}", run, options.times));
    replayOptions.seed = run;
    replayOptions.quiet = run > 1; // the first shows what the program says
    Result<ReplayOutcome> outcome = replaySchedule(*recording, *schedule, replayOptions);
    if (!outcome) return outcome.error();
    const bool ok = asExpected(*outcome, choice->expectation);
    good += ok;
    if (ok && options.times > 1) continue;
    progress.clear();
    fmt::print("symbiosis: replay {}: {}{}{}\n", run, toText(outcome->result),
               outcome->problem.empty() ? "" : ": ", outcome->problem);
  }
  progress.clear();
  fmt::print("symbiosis: {} of {} {}\n", good, options.times,
             choice->expectation == Expectation::fails ? "failed as recorded" : "passed the failure point");
  return good == options.times ? 0 : 1;
}

} // namespace

void addReplayCommand(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* command =
      app.add_subcommand("replay", "Run the recorded program along a schedule; the first wrong event is reported");
  command->add_option("DIR", options->directory, "Recording (default: .symbiosis/latest)");
  CLI::Option_group* which = command->add_option_group("schedule", "Which schedule");
  which->add_flag("--failing", options->failing, "The failing schedule that `diagnose` found");
  which->add_flag("--alternate", options->alternate, "The schedule that passes");
  which->add_option("--schedule", options->schedule, "A schedule file");
  which->require_option(1);
  command->add_option("--times", options->times, "How often")->capture_default_str()->check(CLI::PositiveNumber);
  command->callback([options, &exitCode] {
    Result<int> done = replay(*options);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
