// `symbiosis prove`: every schedule of the program passes, or one that fails, or how far that is known.
#include "cli/command.h"
#include "cli/labelled_lines.h"
#include "cli/program_command.h"
#include "cli/progress.h"
#include "search/prove.h"
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace symbiosis {

namespace {

constexpr size_t kMostReasons = 12;

struct ProveCommand {
  ProveOptions options;
  double timeout = 60;
};

std::string countsOf(const Proof& proof) {
  return fmt::format("{}, {}, {:.1f} s; {}", countedWords(proof.paths, "path", "paths"),
                     countedWords(proof.explored.executions, "execution", "executions"), proof.seconds,
                     countedWords(proof.explored.questions, "question", "questions"));
}

void saySpent(const Exhausted& explored) {
  const double all = explored.seconds > 0 ? explored.seconds / 100 : 1;
  say("Time", fmt::format("running {:.0f} %, keeping logs {:.0f} %, following them {:.0f} %, asking {:.0f} %",
                          explored.times.running / all, explored.times.saving / all, explored.times.walking / all,
                          explored.asking / all));
}

void sayAll(const char* label, const std::vector<std::string>& lines) {
  for (size_t i = 0; i < std::min(lines.size(), kMostReasons); ++i) say(i == 0 ? label : "", lines[i]);
  if (lines.size() > kMostReasons) say("", fmt::format("and {} more", lines.size() - kMostReasons));
}

void sayProved(const Proof& proof, const std::string& program) {
  say("PROVED",
      fmt::format("every schedule of {} on this input passes ({}, none open)", program, countsOf(proof)));
  say("Holds for", "this executable and this input, nothing else");
  say("Assumes", "what docs/proofs.md lists; no data race and only seq_cst atomics: checked on every path");
  say("Checked",
      fmt::format("{} took no other path", countedWords(proof.checked, "random schedule", "random schedules")));
}

Result<int> sayFailure(const Proof& proof) {
  Result<Recording> recording = openRecording(proof.failure->directory);
  if (!recording) return recording.error();
  const std::string what = recording->failure ? toText(*recording->failure) : toText(recording->info.ending);
  say("FAILURE", fmt::format("{}, in execution {}; it was run, and recorded in {}", what, proof.failedAt,
                             proof.failure->directory.string()));
  say("So far", countsOf(proof));
  sayAll("Besides", proof.open);
  say("Next", proof.failure->isLatest ? "symbiosis diagnose"
                                      : fmt::format("symbiosis diagnose {}", proof.failure->directory.string()));
  return 1;
}

void sayNotFinished(const Proof& proof, const ProveCommand& command) {
  const bool everything = proof.explored.isComplete() && proof.open.empty();
  if (everything && !proof.beyondOrder.empty())
    say("NOT FINISHED", fmt::format("passes under sequential consistency only ({}, none open); this is no proof",
                                    countsOf(proof)));
  else
    say("NOT FINISHED", fmt::format("no failure in {}; this is no proof", countsOf(proof)));
  if (proof.explored.end == PathEnd::limit)
    say("Open", fmt::format("at least {} not asked (a limit of {:g} s, {} executions)",
                            countedWords(proof.explored.unasked, "question", "questions"),
                            command.options.exhaust.seconds, command.options.exhaust.executions));
  if (proof.explored.end == PathEnd::interrupted) say("Open", "interrupted");
  sayAll("Open", proof.open);
  sayAll("Beyond SC", proof.beyondOrder);
  if (proof.explored.end == PathEnd::limit)
    say("Next", fmt::format("symbiosis prove --time-limit {:g} …", command.options.exhaust.seconds * 10));
}

Result<int> prove(ProveCommand& command) {
  if (!::isatty(STDIN_FILENO)) // captured once, fed to every run
    command.options.record.standardInput = std::string(std::istreambuf_iterator<char>(std::cin), {});
  command.options.record.timeoutSeconds = command.timeout;
  Progress progress;
  ProveObserver observer;
  observer.progress = [&](const Exhausted& now) {
    progress.show(
        fmt::format("{} executions, {} paths, {} questions", now.executions, now.paths.size(), now.questions));
  };
  observer.stage = [&](const char* stage) { progress.show(stage); };
  Result<Proof> proof = symbiosis::prove(command.options, observer);
  progress.clear();
  if (!proof) return proof.error();
  switch (proof->verdict) {
  case ProofVerdict::proved: return sayProved(*proof, command.options.record.command[0]), 0;
  case ProofVerdict::failure: return sayFailure(*proof);
  case ProofVerdict::notFinished: break;
  }
  sayNotFinished(*proof, command);
  saySpent(proof->explored);
  return 3;
}

} // namespace

void addProveCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<ProveCommand>();
  CLI::App* command = app.add_subcommand(
      "prove",
      "Show that every schedule of a program passes on this input, or one that fails: exit status 0 proved, "
      "1 a failure (recorded), 3 not finished");
  command->add_option("--time-limit", given->options.exhaust.seconds, "Seconds for all of it")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--runs", given->options.exhaust.executions, "At most so many runs of the program")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--timeout", given->timeout, "Seconds after which a run counts as hanging")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--expect-exit", given->options.record.expectedExit,
                   "The exit status of a run that passes; any other fails")
      ->capture_default_str();
  command->add_option("-o", given->options.record.directory,
                      "Directory for the recording of a failure (default: .symbiosis/<program>-<n>)");
  addProgramCommand(*command, given->options.record.command);
  command->callback([given, &exitCode] {
    Result<int> done = prove(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
