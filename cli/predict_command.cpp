// `symbiosis predict`: from a run that passes to one that fails.
#include "cli/command.h"
#include "cli/labelled_lines.h"
#include "cli/program_command.h"
#include "cli/progress.h"
#include "search/predict.h"
#include "support/files.h"
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace symbiosis {

namespace {

// The program of a recording of a run that passed, begun with the schedule that was recorded.
Result<void> beginWith(const std::string& directory, PredictOptions& options) {
  Result<std::filesystem::path> found = findRecording(directory);
  if (!found) return found.error();
  Result<Recording> recording = openRecording(*found);
  if (!recording) return recording.error();
  if (!hasPassed(*recording))
    return badInput(
        fmt::format("{}: the recorded run fails ({}); its cause: symbiosis diagnose. A run that passes is "
                    "recorded by: symbiosis profile --keep-passing",
                    found->string(), toText(recording->info.ending)));
  // As it was called, if that is still the same program.
  const Result<std::string> now = readFile(recording->info.program), then = readFile(recording->program());
  const bool isSame = now && then && *now == *then;
  options.record.command = {isSame ? recording->info.program
                                   : std::filesystem::absolute(recording->program()).string()};
  options.record.command.insert(options.record.command.end(), recording->info.arguments.begin(),
                                recording->info.arguments.end());
  options.record.standardInput = recording->info.standardInput;
  options.record.expectedExit = recording->info.expectedExit;
  if (!recording->granted.empty()) options.exhaust.first = planAsRecorded(*recording);
  return {};
}

void sayRaces(const Prediction& prediction) {
  for (size_t i = 0; i < prediction.races.size(); ++i) {
    const ExecutedRace& race = prediction.races[i];
    say(i == 0 ? "Races" : "",
        fmt::format("{}: {}, {}; side by side in a run that {}", race.variable.empty() ? "memory" : race.variable,
                    race.first, race.second, race.fails ? "failed" : "passed"));
  }
}

void sayAsked(const Prediction& prediction) {
  const Exhausted& explored = prediction.explored;
  say("Asked", fmt::format("{}: {}, {} that cannot go otherwise (proved)",
                           countedWords(explored.questions, "question", "questions"),
                           countedWords(prediction.paths, "path", "paths"), explored.forced));
  const size_t untold = explored.astray + prediction.racesNotExecuted;
  if (untold > 0)
    say("Not told", fmt::format("{} that the program did not follow (a bug of ours)",
                                countedWords(untold, "prediction", "predictions")));
  for (const auto& [reason, count] : explored.open) say("Unknown", reason);
}

Result<int> sayFailure(const Prediction& prediction, const PredictOptions& options) {
  Result<Recording> recording = openRecording(prediction.failure->directory);
  if (!recording) return recording.error();
  const std::string what = recording->failure ? toText(*recording->failure) : toText(recording->info.ending);
  say("PREDICTED", fmt::format("{}; it happened when it was run (execution {}, {:.1f} s)", what,
                               prediction.failedAt, prediction.explored.seconds));
  if (prediction.failedAt == 1)
    say("From", "the first run, which failed by itself");
  else if (!prediction.explored.sentBy.empty())
    say("By", prediction.explored.sentBy);
  say("Recorded", fmt::format("{}, replays {}/{}", prediction.failure->directory.string(), prediction.replayed,
                              options.replays));
  sayRaces(prediction);
  sayAsked(prediction);
  say("Next", prediction.failure->isLatest
                  ? "symbiosis diagnose"
                  : fmt::format("symbiosis diagnose {}", prediction.failure->directory.string()));
  return prediction.replayed == options.replays ? 0 : 3;
}

Result<int> predict(PredictOptions& options) {
  const std::vector<std::string>& command = options.record.command;
  if (command.empty() || (command.size() == 1 && std::filesystem::is_directory(command[0]))) {
    if (Result<void> begun = beginWith(command.empty() ? "" : command[0], options); !begun) return begun.error();
  } else if (!::isatty(STDIN_FILENO)) {
    options.record.standardInput = std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  fmt::print("symbiosis: at most {} runs of {} now\n", options.exhaust.executions + options.replays,
             options.record.command[0]);
  std::fflush(stdout);
  Progress progress;
  Result<Prediction> prediction = symbiosis::predict(options, [&](const Exhausted& now) {
    progress.show(
        fmt::format("{} executions, {} paths, {} questions", now.executions, now.paths.size(), now.questions));
  });
  progress.clear();
  if (!prediction) return prediction.error();
  fmt::print("symbiosis: the first run has {} threads, {} events, {} decisions\n", prediction->threads,
             prediction->events, prediction->decisions);
  if (prediction->failure) return sayFailure(*prediction, options);
  const Exhausted& explored = prediction->explored;
  say("NOTHING", fmt::format("no failure from this run: {}, {:.1f} s",
                             countedWords(explored.executions, "execution", "executions"), explored.seconds));
  sayRaces(*prediction);
  sayAsked(*prediction);
  say("This is not", explored.isComplete() ? "a proof, though nothing is left to ask: symbiosis prove -- …"
                                           : "a proof: paths further away were not asked. symbiosis prove -- …");
  return explored.open.empty() ? 1 : 3;
}

} // namespace

void addPredictCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<PredictOptions>();
  given->exhaust.executions = 20;
  given->exhaust.questionSeconds = 1; // what takes longer is for `prove`
  CLI::App* command = app.add_subcommand(
      "predict",
      "From a run that passes, a schedule that fails: run, recorded and replayed before it is told. Of a "
      "program, or from the recording of a run that passed (default: .symbiosis/latest)");
  command->add_option("--runs", given->exhaust.executions, "At most so many runs to find it")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--time-limit", given->exhaust.seconds, "Seconds to find it")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--replays", given->replays, "How often the failing run is repeated in the end")
      ->capture_default_str();
  command->add_flag("--races", given->races,
                    "Also the data races of the first run, each executed with both accesses side by side");
  command
      ->add_option("--expect-exit", given->record.expectedExit,
                   "The exit status of a run that passes; any other fails")
      ->capture_default_str();
  command->add_option("-o", given->record.directory,
                      "Directory for the recording (default: .symbiosis/<program>-<n>)");
  addProgramCommand(*command, given->record.command);
  command->get_option("command")->required(false)->description(
      "The program and its arguments, or the directory of a recording (symbiosis profile "
      "--keep-passing)");
  command->callback([given, &exitCode] {
    Result<int> done = predict(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
