// `symbiosis diagnose`: from a recording to its report (dsp/diagnose.h).
#include "cli/command.h"
#include "cli/progress.h"
#include "dsp/diagnose.h"
#include "support/files.h"
#include "trace/recording.h"
#include "viz/report.h"
#include "viz/views.h"
#include "viz/words.h"
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct DiagnoseCommand {
  std::string directory;
  std::string json;
  std::string order; // empty: the simpler of both
  std::string encoding = "order";
  std::string level = "full";
  bool noReduction = false;
  DiagnoseOptions options; // the rest
};

// Says how far the diagnosis is.
class DiagnoseWords : public Observer {
public:
  explicit DiagnoseWords(std::string program) : program_(std::move(program)) {}

  void begins(Stage stage) override {
    switch (stage) {
    case Stage::symbolicTrace: return progress_.show("following the recorded paths");
    case Stage::failingSchedule: return progress_.show("solving for a failing schedule");
    case Stage::rootCause: return progress_.show("finding the root cause");
    case Stage::alternate: return progress_.show("looking for the nearest passing schedule");
    case Stage::simplerSchedule: return progress_.show("looking for a simpler failing schedule");
    case Stage::certificate:
    case Stage::otherSchedules: return; // willRun
    }
  }
  void goesOnFromSaved() override {
    fmt::print("symbiosis: going on from what the last diagnosis found (--again starts anew)\n");
  }
  void willRun(Stage stage, size_t schedules, size_t runs) override {
    if (stage == Stage::otherSchedules)
      fmt::print("symbiosis: every schedule of this path fails; exploring {} others, {} runs of {}\n", schedules,
                 runs, program_);
    else
      fmt::print("symbiosis: replaying {} now, {} runs of {}\n",
                 schedules == 2 ? "the failing and the alternate schedule" : "the failing schedule", runs,
                 program_);
    std::fflush(stdout);
  }
  void runs(Stage stage, size_t run, size_t of) override {
    const char* what = stage == Stage::otherSchedules ? "exploring" : "replay";
    progress_.show(fmt::format("{} {} of {}", what, run, of));
  }

private:
  std::string program_;
  Progress progress_;
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

void printSummary(const DiagnosedRun& run, const Recording& recording, const DiagnoseCommand& command) {
  TerminalOptions terminal;
  terminal.utf8 = wantsUtf8();
  terminal.colour = wantsColour();
  terminal.report = (recording.directory / "report" / "dsp.html").string();
  const std::string which = command.directory.empty() ? "" : " " + command.directory;
  terminal.next = "symbiosis replay" + which + " --failing --gdb";
  hintAtDebugInformation(recording.sources);
  fmt::print("{}", renderSummary(run.diagnosis, run.trace, recording.sources, terminal));
  for (const std::string& sentence : otherWords(run.diagnosis, run.trace)) fmt::print("{}\n", sentence);
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
  Result<DiagnosedRun> run = [&] {
    DiagnoseWords words(recording->info.program);
    return diagnose(*recording, optionsOf(command), words);
  }();
  if (!run) return run.error();
  if (Result<void> written = writeReport(run->diagnosis, run->trace, *recording); !written) return written.error();
  if (!command.json.empty())
    if (Result<void> written = writeFileAtomically(command.json, renderJson(run->diagnosis, run->trace)); !written)
      return written.error();
  printSummary(*run, *recording, command);
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
  command->add_option("--time-limit", options->solver.limits.seconds, "Seconds for each question to the solver")
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
