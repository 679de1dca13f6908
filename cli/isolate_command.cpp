// `symbiosis isolate`: the switch that decides between a run that passes and one that fails (search/isolate.h).
#include "cli/command.h"
#include "cli/isolate_words.h"
#include "cli/progress.h"
#include "dsp/two_runs.h"
#include "replay/logged_run.h"
#include "replay/replay.h"
#include "search/recorded_runs.h"
#include "support/files.h"
#include "viz/report.h"
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct IsolateCommand {
  std::string directory;
  std::string passing; // a schedule file
  size_t replays = 20;
  IsolateOptions options;
};

struct Beginning {
  IsolateStart start;
  std::string words;
};

Result<Plan> planIn(const Recording& recording, const fs::path& file, Expectation expectation) {
  Result<Schedule> schedule = loadSchedule(file);
  if (!schedule) return schedule.error();
  ReplayOptions options;
  options.expectation = expectation;
  Result<ControlledRun> run = runAlong(recording, *schedule, options);
  if (!run) return run.error();
  return std::move(run->plan);
}

Result<Plan> failingPlan(const Recording& recording) {
  if (!recording.granted.empty()) return planAsRecorded(recording);
  const fs::path file = recording.directory / "report" / "failing.schedule";
  if (fs::exists(file)) return planIn(recording, file, Expectation::fails);
  return badInput(
      fmt::format("{}: the run was native, so that its order was not recorded; find one that fails with: "
                  "symbiosis diagnose",
                  recording.directory.string()));
}

// The failing run is the recorded one; the passing one is given, the alternate of a diagnosis, or looked for. From
// a recorded run that passed, one that fails is looked for.
Result<Beginning> beginning(const Recording& recording, const IsolateCommand& command) {
  Beginning found;
  std::error_code unresolved;
  const std::string name = fs::weakly_canonical(recording.directory, unresolved).filename().string();
  if (hasPassed(recording) && command.options.oracle.empty()) {
    if (recording.granted.empty()) return failingPlan(recording).error();
    found.start.passing = planAsRecorded(recording);
    found.words = fmt::format("passing schedule: {}; failing one: looked for near it", name);
    return found;
  }
  Result<Plan> failing = failingPlan(recording);
  if (!failing) return failing.error();
  found.start.failing = std::move(*failing);
  found.words = fmt::format("failing schedule: {}; passing one: looked for near it", name);
  if (!command.passing.empty()) {
    Result<Plan> passing = planIn(recording, command.passing, Expectation::passes);
    if (!passing) return passing.error();
    found.start.passing = std::move(*passing);
    found.words = fmt::format("failing schedule: {}; passing one: {}", name, command.passing);
  } else if (fs::exists(placeOfAlternate(recording))) {
    Result<Recording> alternate = openRecording(placeOfAlternate(recording));
    if (!alternate) return alternate.error();
    if (!alternate->granted.empty()) {
      found.start.passing = planAsRecorded(*alternate);
      found.words = fmt::format("failing schedule: {}; passing one: alternate of its diagnosis", name);
    }
  }
  return found;
}

// A run as it is kept: its recording and trace if they can be had, its schedule, and how often it came again.
struct Kept {
  std::optional<WalkedRun> walked;
  KeptRun words;
};

Result<Kept> keep(const Recording& recording, const IsolatedRun& run, bool fails, const IsolateCommand& command,
                  Progress& progress) {
  const char* name = fails ? "failing" : "passing";
  const fs::path place = recording.directory / "isolate";
  Plan exact = planOf(run.report);
  exact.entries = withoutAddresses(std::move(exact.entries));
  ControlledRun again = runOf(recording, std::move(exact), {});
  again.strategy = format::Strategy::fair;
  const RunOutcome outcome = outcomeOf(run.report, recording.info.expectedExit);
  Kept kept;
  Result<WalkedRun> walked = recordWalked(recording, again, outcome, place / name);
  Schedule schedule;
  if (walked) {
    kept.walked.emplace(std::move(*walked));
    schedule = toSchedule(kept.walked->trace, kept.walked->order, recording.info.programHash);
  } else {
    again.log = format::ControlLog::everything;
    Result<ControlReport> listed = runControlled(again);
    if (!listed) return listed.error();
    schedule = scheduleOf(*listed, recording.info.programHash);
    fmt::print("symbiosis: of the {} run no trace can be made: {}\n", name, walked.error().message);
  }
  kept.words.schedule = (place / fmt::format("{}.schedule", name)).string();
  std::error_code ignored;
  fs::create_directories(place, ignored);
  if (Result<void> written = writeFileAtomically(kept.words.schedule, toText(schedule)); !written)
    return written.error();
  for (; kept.words.replays < command.replays; ++kept.words.replays) {
    progress.show(fmt::format("replay {} of {} of the {} run", kept.words.replays + 1, command.replays, name));
    again.log = format::ControlLog::switches;
    Result<ControlReport> report = runControlled(again);
    if (!report) return report.error();
    kept.words.asExpected +=
        outcomeOf(*report, recording.info.expectedExit) == outcome && (!fails || failAlike(run.report, *report));
  }
  return kept;
}

Result<int> isolate(const IsolateCommand& command) {
  Result<fs::path> directory = findRecording(command.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  Result<Beginning> begin = beginning(*recording, command);
  if (!begin) return begin.error();
  fmt::print("symbiosis: {}\nsymbiosis: at most {} runs of {}, {} seconds\n", begin->words,
             command.options.budget.runs, recording->info.program, command.options.budget.seconds);
  std::fflush(stdout);
  Progress progress;
  Result<Isolated> result =
      isolate(*recording, begin->start, command.options, [&](const char* what, size_t runs, size_t, uint64_t) {
        progress.show(fmt::format("{}: run {} of at most {}", what, runs, command.options.budget.runs));
      });
  if (!result) return result.error();
  Result<Kept> failing = keep(*recording, result->failing, true, command, progress);
  if (!failing) return failing.error();
  Result<Kept> passing = keep(*recording, result->passing, false, command, progress);
  if (!passing) return passing.error();
  progress.clear();
  std::string report;
  for (Kept* kept : {&*failing, &*passing})
    if (kept->walked) kept->words.trace = &kept->walked->trace, kept->words.order = &kept->walked->order;
  if (failing->walked && passing->walked && failing->walked->trace.failure.kind != FailureKind::none) {
    const Repeats repeats{command.replays, failing->words.asExpected, passing->words.asExpected};
    const DiagnosedRun compared = compareRuns(*recording, *failing->walked, *passing->walked, repeats);
    if (Result<void> written = writeReport(compared.diagnosis, compared.trace, failing->walked->recording);
        !written)
      return written.error();
    report = (failing->walked->recording.directory / "report" / "dsp.html").string();
  }
  fmt::print("symbiosis: {} thread switches differed, by {} steps\n", result->switchesAtFirst,
             result->stepsAtFirst);
  printIsolated(*result, failing->words, passing->words, report, command.directory);
  const bool came =
      failing->words.asExpected == failing->words.replays && passing->words.asExpected == passing->words.replays;
  return result->delta.isMinimal && came ? 0 : 3;
}

} // namespace

void addIsolateCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<IsolateCommand>();
  CLI::App* command = app.add_subcommand(
      "isolate", "The thread switch that decides between a run that passes and one that fails: DIR/isolate/");
  command->add_option("DIR", given->directory, "Recording (default: .symbiosis/latest)");
  command->add_option("--passing", given->passing,
                      "A schedule that passes (default: the alternate of a diagnosis, or one that is looked for)");
  command->add_option(
      "--oracle", given->options.oracle,
      "A command that gets what a run printed and exits with 0 if the run passed, 1 if it failed, "
      "anything else up to 125 if it cannot say; SYMBIOSIS_STATUS and SYMBIOSIS_ENDING say how the run "
      "ended");
  command->add_option("--runs", given->options.budget.runs, "At most so many runs of the program")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--time-limit", given->options.budget.seconds, "Seconds for all of them")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--replays", given->replays, "How often each of both runs is repeated in the end")
      ->capture_default_str();
  command->callback([given, &exitCode] {
    Result<int> done = isolate(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
