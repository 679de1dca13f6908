// `symbiosis diagnose`: Figure 1 of the paper, one call and one sentence per stage.
#include "cli/command.h"
#include "cli/progress.h"
#include "dsp/certify.h"
#include "dsp/diagnosis.h"
#include "support/files.h"
#include "symexec/symexec.h"
#include "trace/recording.h"
#include "viz/views.h"
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct DiagnoseOptions {
  std::string directory;
  std::string json;
  double timeLimit = 60;
  double memoryLimit = 8;
  bool noReduction = false;
  size_t replays = 20;
};

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <typename Work> auto timed(double& seconds, Work&& work) {
  Stopwatch watch;
  auto result = work();
  seconds += watch.seconds();
  return result;
}

Error noFailingSchedule(const ScheduleAnswer& answer) {
  if (answer.answer == Answer::unknown)
    return gaveUp(fmt::format("no failing schedule found: {}. Try --time-limit with more seconds", answer.reason));
  return gaveUp(
      "the recorded run cannot be explained by any order of its events under sequential consistency (the "
      "processor may have reordered accesses, or uninstrumented code wrote shared memory); record again");
}

size_t countAccesses(const SymbolicTrace& trace) {
  return size_t(std::count_if(trace.events.begin(), trace.events.end(),
                              [](const Event& event) { return isAccess(event.kind); }));
}

Result<void> writeReport(const fs::path& directory, const Diagnosis& diagnosis, const SymbolicTrace& trace,
                         const SourceFiles& sources, const std::string& program) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return badInput(fmt::format("{}: cannot create: {}", directory.string(), error.message()));
  std::vector<std::pair<std::string, std::string>> files = {
      {"dsp.json", renderJson(diagnosis, trace)},
      {"dsp.html", renderHtml(diagnosis, trace, sources)},
      {"dsp.svg", renderSvg(diagnosis, trace, sources)},
      {"dsp.dot", renderDot(diagnosis, trace, sources)},
      {"failing.schedule", toText(toSchedule(trace, diagnosis.failing, program))},
  };
  if (diagnosis.alternate.status == AlternateStatus::found)
    files.push_back({"alternate.schedule", toText(toSchedule(trace, diagnosis.alternate.order, program))});
  for (const auto& [name, content] : files)
    if (Result<void> written = writeFileAtomically(directory / name, content); !written) return written;
  return {};
}

Result<int> diagnose(const DiagnoseOptions& options) {
  Stopwatch total;
  Progress progress;
  Diagnosis diagnosis;
  DiagnosisStats& stats = diagnosis.stats;

  // The recording is complete and unaltered, and carries its own copy of the program.
  Result<fs::path> directory = findRecording(options.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  diagnosis.program = {recording->info.program, recording->info.arguments};
  // The recording itself, not `latest`, so that the commands in an old report stay right.
  std::error_code unresolved;
  const fs::path resolved = fs::proximate(fs::canonical(*directory, unresolved), unresolved);
  diagnosis.recording = unresolved ? directory->string() : resolved.string();
  stats.recordedBytes = recording->info.logBytes;

  // 1. Symbolic trace collection (§3.2): each thread's path is followed; what it read from others is symbolic.
  progress.show("following the recorded paths");
  Result<SymbolicTrace> trace = timed(stats.seconds.symexec, [&] { return executeSymbolically(*recording); });
  if (!trace) return trace.error();
  stats.events = trace->events.size();
  stats.sharedAccesses = countAccesses(*trace);

  // 2. Failing schedule (§3.3): an order of all events that fails as the recorded run did. From here on every
  //    schedule has been evaluated.
  progress.show("solving for a failing schedule");
  ScheduleSolver solver(*trace, SolverLimits{options.timeLimit, options.memoryLimit});
  ScheduleAnswer failing = timed(stats.seconds.failing, [&] { return solver.failing(); });
  if (failing.answer != Answer::sat) return noFailingSchedule(failing);
  diagnosis.failing = failing.order;
  diagnosis.originalSwitches = contextSwitches(*trace, failing.order);

  // 2b. The same failure with fewer context switches (§3.7): the one that is shown and certified.
  if (!options.noReduction)
    diagnosis.failing = timed(stats.seconds.csr, [&] { return reduceContextSwitches(*trace, failing.order); });

  // 3. Root cause (§3.4): the orderings that force the failure.
  progress.show("finding the root cause");
  diagnosis.rootCause =
      timed(stats.seconds.rootCause, [&] { return findRootCause(*trace, solver, diagnosis.failing); });

  // 4. Alternate (§3.5): the nearest schedule that passes.
  progress.show("looking for the nearest passing schedule");
  diagnosis.alternate = timed(stats.seconds.alternate, [&] {
    return findAlternate(*trace, solver, diagnosis.failing, diagnosis.rootCause);
  });

  // 5. Differential schedule projection (§3.6): what differs, and what to call it.
  diagnosis.dsp = diagnosis.alternate.status == AlternateStatus::found
                      ? project(*trace, diagnosis.failing, diagnosis.alternate.order, diagnosis.alternate.inverted)
                      : projectFailing(*trace, diagnosis.failing, diagnosis.rootCause);
  diagnosis.classification =
      classify(*trace, diagnosis.failing, diagnosis.rootCause, diagnosis.alternate, diagnosis.dsp);
  stats.solver = solver.stats();

  // 6. Certificate: both schedules on the real program.
  if (options.replays > 0) {
    const bool both = diagnosis.alternate.status == AlternateStatus::found;
    fmt::print("symbiosis: replaying {} now, {} runs of {}\n",
               both ? "the failing and the alternate schedule" : "the failing schedule",
               both ? 2 * options.replays : options.replays, diagnosis.program.path);
    std::fflush(stdout);
  }
  diagnosis.certificate = timed(stats.seconds.replay, [&] {
    return certify(*recording, *trace, diagnosis.failing, diagnosis.alternate, options.replays,
                   [&](size_t run, size_t of) { progress.show(fmt::format("replay {} of {}", run, of)); });
  });
  stats.seconds.total = total.seconds();
  if (!trace->unmodelled.empty())
    diagnosis.limits.push_back(
        fmt::format("external functions that may have written shared memory, or ordered threads, unseen: {}",
                    fmt::join(trace->unmodelled, ", ")));

  progress.clear();
  const fs::path report = *directory / "report";
  if (Result<void> written =
          writeReport(report, diagnosis, *trace, recording->sources, recording->info.programHash);
      !written)
    return written.error();
  if (!options.json.empty())
    if (Result<void> written = writeFileAtomically(options.json, renderJson(diagnosis, *trace)); !written)
      return written.error();
  TerminalOptions terminal;
  terminal.utf8 = wantsUtf8();
  terminal.colour = wantsColour();
  terminal.report = (report / "dsp.html").string();
  const std::string which = options.directory.empty() ? "" : " " + options.directory;
  terminal.next = "symbiosis replay" + which + " --failing --gdb";
  hintAtDebugInformation(recording->sources);
  fmt::print("{}", renderSummary(diagnosis, *trace, recording->sources, terminal));
  switch (diagnosis.alternate.status) {
  case AlternateStatus::found: return diagnosis.certificate.complete() ? 0 : 3;
  case AlternateStatus::noneProved:
  case AlternateStatus::noneFound: return 1;
  case AlternateStatus::unknown: return 3;
  }
  return 70;
}

} // namespace

void addDiagnoseCommand(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = app.add_subcommand(
      "diagnose", "From a recording to the root cause, a schedule that passes, and the difference: DIR/report/");
  command->add_option("DIR", options->directory, "Recording (default: .symbiosis/latest)");
  command->add_option("--json", options->json, "Also write dsp.json to this file");
  command->add_option("--time-limit", options->timeLimit, "Seconds for each question to the solver")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--memory-limit", options->memoryLimit, "Gigabytes for the solver")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--replays", options->replays,
                   "How often each schedule is replayed on the program for the certificate; 0 runs nothing")
      ->capture_default_str();
  command->add_flag("--no-csr", options->noReduction,
                    "Do not reduce the context switches of the failing schedule");
  command->callback([options, &exitCode] {
    Result<int> done = diagnose(*options);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
