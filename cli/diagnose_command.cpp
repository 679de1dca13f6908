// `symbiosis diagnose`: from a recording to its report (dsp/diagnose.h).
#include "cli/command.h"
#include "cli/diagnose_words.h"
#include "support/files.h"
#include "trace/recording.h"
#include "viz/report.h"
#include "viz/views.h"
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct DiagnoseCommand {
  std::string directory;
  std::string json;
  std::string order; // empty: the simpler of both
  std::string schedule;
  std::string encoding = "order";
  std::string level = "full";
  bool noReduction = false;
  DiagnoseOptions options; // the rest
};

DiagnoseOptions optionsOf(const DiagnoseCommand& command) {
  DiagnoseOptions options = command.options;
  options.level = levelNamed(command.level);
  options.failing.order = command.order == "recorded" ? WantedOrder::recorded
                          : command.order == "solve"  ? WantedOrder::solved
                                                      : WantedOrder::simpler;
  options.failing.reduces = !command.noReduction;
  if (command.encoding == "paper") {
    options.solver.encoding = Encoding::paper;
    options.solver.engines = Engines::solver;
  }
  return options;
}

int exitCodeOf(const Diagnosis& diagnosis) {
  switch (diagnosis.alternate.status) {
  case AlternateStatus::found: return diagnosis.certificate.complete() ? 0 : 3;
  case AlternateStatus::noneProved:
  case AlternateStatus::noneFound: return 1;
  case AlternateStatus::unknown: return 3;
  }
  return 70;
}

Result<int> diagnose(const DiagnoseCommand& command) {
  // The recording is complete and unaltered, and carries its own copy of the program.
  Result<fs::path> directory = findRecording(command.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  DiagnoseOptions options = optionsOf(command);
  if (!command.schedule.empty()) {
    Result<Schedule> schedule = loadSchedule(command.schedule);
    if (!schedule) return schedule.error();
    options.schedule = std::move(*schedule);
  }
  Result<DiagnosedRun> run = [&] {
    DiagnoseWords words(recording->info.program);
    return diagnose(*recording, options, words);
  }();
  if (!run) return run.error();
  if (Result<void> written = writeReport(run->diagnosis, run->trace, *recording); !written) return written.error();
  if (!command.json.empty())
    if (Result<void> written = writeFileAtomically(command.json, renderJson(run->diagnosis, run->trace)); !written)
      return written.error();
  printSummary(*run, *recording, command.directory);
  return exitCodeOf(run->diagnosis);
}

} // namespace

void addDiagnoseCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<DiagnoseCommand>();
  DiagnoseOptions* options = &given->options;
  CLI::App* command = app.add_subcommand(
      "diagnose", "From a recording to the root cause, a schedule that passes, and the difference: DIR/report/");
  command->add_option("DIR", given->directory, "Recording (default: .symbiosis/latest)");
  command
      ->add_option(
          "--order", given->order,
          "recorded: the order that a controlled run really took; solve: the solver finds one; left out: the "
          "simpler of both")
      ->check(CLI::IsMember({"recorded", "solve"}));
  command
      ->add_option("--schedule", given->schedule,
                   "Explain this failing schedule of the program, as it is: one that `simplify` has written")
      ->excludes("--order");
  command
      ->add_option(
          "--encoding", given->encoding,
          "order: searches and a formula in Z3, side by side; paper: the formulas of the paper as printed, by Z3 "
          "alone (slow; for comparison)")
      ->capture_default_str()
      ->check(CLI::IsMember({"order", "paper"}));
  command->add_option("--all-causes", options->explain.mostCauses, "List up to so many minimal causes")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--all-alternates", options->explain.mostAlternates,
                   "Look for up to so many schedules that pass")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--level", given->level,
                   "Use no more of the recording than profile --record LEVEL would have recorded")
      ->check(CLI::IsMember({"path", "addresses", "full"}));
  command->add_flag("--again", options->again, "Compute anew what an earlier diagnosis of this recording found");
  command->add_option("--json", given->json, "Also write dsp.json to this file");
  command->add_option("--time-limit", options->seconds, "Seconds for all of it, the replays included")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--memory-limit", options->solver.limits.memoryGb, "Gigabytes for the solver")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--replays", options->replays,
                   "How often each schedule is replayed on the program for the certificate; 0 runs nothing")
      ->capture_default_str();
  command->add_flag("--no-csr", given->noReduction, "Do not reduce the context switches of the failing schedule");
  command->callback([given, &exitCode] {
    Result<int> done = diagnose(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
