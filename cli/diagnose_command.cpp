// `symbiosis diagnose`: Figure 1 of the paper, one call and one sentence per stage.
#include "cli/command.h"
#include "cli/progress.h"
#include "dsp/approach.h"
#include "dsp/certify.h"
#include "dsp/diagnosis.h"
#include "dsp/failing_schedule.h"
#include "dsp/saved_phases.h"
#include "support/files.h"
#include "support/stopwatch.h"
#include "symexec/symexec.h"
#include "trace/recording.h"
#include "viz/views.h"
#include "viz/words.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct DiagnoseOptions {
  std::string directory;
  std::string json;
  std::string order; // empty: recorded if there is one
  std::string encoding = "order";
  size_t allCauses = 1, allAlternates = 1;
  std::string level = "full"; // the most that is used
  bool again = false;
  double timeLimit = 60;
  double memoryLimit = 8;
  bool noReduction = false;
  size_t replays = 20;
};

SolverStats merged(const SolverStats& a, const SolverStats& b) {
  return {std::max(a.constraints, b.constraints), std::max(a.variables, b.variables), a.calls + b.calls,
          a.searches + b.searches};
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
  for (size_t i = 0; i < diagnosis.otherAlternates.size(); ++i)
    files.push_back({fmt::format("alternate-{}.schedule", i + 2),
                     toText(toSchedule(trace, diagnosis.otherAlternates[i].order, program))});
  for (const auto& [name, content] : files)
    if (Result<void> written = writeFileAtomically(directory / name, content); !written) return written;
  return {};
}

WantedOrder orderNamed(const std::string& name) {
  return name == "recorded" ? WantedOrder::recorded : name == "solve" ? WantedOrder::solved : WantedOrder::simpler;
}

void announce(const std::string& what) {
  fmt::print("symbiosis: {}\n", what);
  std::fflush(stdout);
}

// Whether the phases so far came to a conclusion; what gave up is tried again next time.
bool isAnswered(const SavedPhases& phases) {
  const AlternateStatus status = phases.alternates->front().status;
  return phases.causes->front().status != ProofStatus::unknown &&
         (status == AlternateStatus::found || status == AlternateStatus::noneProved);
}

// Of what the phases depend on.
std::string phasesKey(const DiagnoseOptions& options, const SymbolicTrace& trace, const Recording& recording) {
  return contentHash(fmt::format("{} {} {} {} {} {} {} {}\n{}", SYMBIOSIS_VERSION, recording.info.programHash,
                                 options.order, options.encoding, options.allCauses, options.allAlternates,
                                 options.noReduction, options.replays, toText(trace)));
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
  Result<SymbolicTrace> trace = timed(stats.seconds.symexec, [&] {
    return executeSymbolically(*recording, {.atMost = levelNamed(options.level)});
  });
  if (!trace) return trace.error();
  if (trace->failure.kind == FailureKind::none)
    return badInput(
        fmt::format("the recorded run passed ({}): there is no failure to explain. Record one that fails "
                    "with: symbiosis profile",
                    trace->failure.message));
  stats.events = trace->events.size();
  stats.sharedAccesses = countAccesses(*trace);

  // What an earlier diagnosis of this recording has found is not computed again.
  const fs::path report = *directory / "report";
  const fs::path phasesFile = report / "phases.json";
  const std::string key = phasesKey(options, *trace, *recording);
  SavedPhases phases = options.again ? SavedPhases{} : loadPhases(phasesFile, key, *trace);
  if (phases.failing) fmt::print("symbiosis: going on from what the last diagnosis found (--again starts anew)\n");
  auto remember = [&]() -> Result<void> {
    std::error_code error;
    fs::create_directories(report, error);
    return savePhases(phasesFile, key, phases);
  };

  // 2. Failing schedule (§3.3): an order of all events that fails as the recorded run did. From here on every
  //    schedule has been evaluated.
  SolverOptions solverOptions;
  solverOptions.limits = {options.timeLimit, options.memoryLimit};
  if (options.encoding == "paper") {
    solverOptions.encoding = Encoding::paper;
    solverOptions.engines = Engines::solver;
  }
  if (!phases.failing) {
    progress.show("solving for a failing schedule");
    Result<FailingSchedule> failing = findFailingSchedule(
        *trace, *recording, solverOptions, {orderNamed(options.order), !options.noReduction}, diagnosis);
    if (!failing) return failing.error();
    phases.failing = unhappenedLast(*trace, std::move(failing->order));
    phases.originalSwitches = failing->originalSwitches;
    phases.originalPreemptions = failing->originalPreemptions;
    if (Result<void> saved = remember(); !saved) return saved.error();
  }
  ScheduleSolver solver(*trace, solverOptions);
  solver.guideBy(*phases.failing);

  for (bool simplified = false;; simplified = true) {
    // 3. Root cause (§3.4): the orderings that force the failure.
    if (!phases.causes) {
      progress.show("finding the root cause");
      RootCauses found = timed(stats.seconds.rootCause,
                               [&] { return findRootCauses(*trace, solver, *phases.failing, options.allCauses); });
      if (options.allCauses > 1 && !found.complete)
        diagnosis.limits.push_back("there may be more causes than those listed");
      phases.causes = std::move(found.causes);
    }

    // 4. Alternate (§3.5): the nearest schedule that passes.
    if (!phases.alternates) {
      progress.show("looking for the nearest passing schedule");
      phases.alternates = timed(stats.seconds.alternate, [&] {
        return findAlternates(*trace, solver, *phases.failing, phases.causes->front(), options.allAlternates);
      });
    }

    // 4b. Where no single inversion passes, several things went wrong at once. One of them is enough to fail: the
    //     failing schedule is brought nearer to the alternate, and explained anew.
    const Alternate& alternate = phases.alternates->front();
    if (simplified || alternate.status != AlternateStatus::found || alternate.inverted) break;
    progress.show("looking for a simpler failing schedule");
    EventOrder simpler = timed(stats.seconds.alternate, [&] {
      return unhappenedLast(*trace, nearestTo(*trace, solver, alternate.order, Goal::failing, *phases.failing));
    });
    if (simpler == *phases.failing) break;
    phases.failing = std::move(simpler);
    phases.causes.reset();
    phases.alternates.reset();
  }
  if (isAnswered(phases))
    if (Result<void> saved = remember(); !saved) return saved.error();
  diagnosis.failing = *phases.failing;
  diagnosis.originalSwitches = phases.originalSwitches;
  diagnosis.originalPreemptions = phases.originalPreemptions;
  diagnosis.rootCause = phases.causes->front();
  diagnosis.otherCauses.assign(phases.causes->begin() + 1, phases.causes->end());
  diagnosis.alternate = phases.alternates->front();
  diagnosis.otherAlternates.assign(phases.alternates->begin() + 1, phases.alternates->end());

  showWhoProceeds(*trace, diagnosis.alternate);

  // 5. Differential schedule projection (§3.6): what differs, and what to call it.
  diagnosis.dsp = project(*trace, diagnosis.failing, diagnosis.rootCause, diagnosis.alternate);
  diagnosis.classification =
      classify(*trace, diagnosis.failing, diagnosis.rootCause, diagnosis.alternate, diagnosis.dsp);
  stats.solver = merged(stats.solver, solver.stats());

  // 6. Certificate: both schedules on the real program. Without an alternate, whether other paths fail as well.
  const bool hasAlternate = diagnosis.alternate.status == AlternateStatus::found;
  const bool asksOthers = diagnosis.alternate.status == AlternateStatus::noneProved && options.replays > 0;
  if (phases.certificate) {
    diagnosis.certificate = *phases.certificate;
  } else {
    if (options.replays > 0)
      announce(fmt::format("replaying {} now, {} runs of {}",
                           hasAlternate ? "the failing and the alternate schedule" : "the failing schedule",
                           hasAlternate ? 2 * options.replays : options.replays, diagnosis.program.path));
    diagnosis.certificate = timed(stats.seconds.replay, [&] {
      return certify(*recording, *trace, diagnosis.failing, diagnosis.alternate, options.replays,
                     [&](size_t run, size_t of) { progress.show(fmt::format("replay {} of {}", run, of)); });
    });
    if (diagnosis.certificate.complete() && isAnswered(phases)) {
      phases.certificate = diagnosis.certificate;
      if (Result<void> saved = remember(); !saved) return saved.error();
    }
  }
  if (asksOthers) {
    announce(fmt::format("every schedule of this path fails; exploring {} others, {} runs of {}", options.replays,
                         options.replays, diagnosis.program.path));
    diagnosis.confirmation = timed(stats.seconds.replay, [&] {
      return exploreOtherSchedules(*recording, options.replays, [&](size_t run, size_t of) {
        progress.show(fmt::format("exploring {} of {}", run, of));
      });
    });
  }
  stats.seconds.total = total.seconds();
  if (!trace->unmodelled.empty())
    diagnosis.limits.push_back(
        fmt::format("external functions that may have written shared memory, or ordered threads, unseen: {}",
                    fmt::join(trace->unmodelled, ", ")));

  if (trace->weaklyOrdered > 0)
    diagnosis.limits.push_back(fmt::format("atomics are taken as sequentially consistent; {} of the accesses ask "
                                           "for less (relaxed, acquire, release)",
                                           trace->weaklyOrdered));

  if (trace->failure.kind == FailureKind::hang)
    diagnosis.limits.push_back("not every thread waited when the time limit ended the run: the wait may not have "
                               "been for ever");

  progress.clear();
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
  for (const std::string& sentence : otherWords(diagnosis, *trace)) fmt::print("{}\n", sentence);
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
  command
      ->add_option(
          "--order", options->order,
          "recorded: the order that a controlled run really took; solve: the solver finds one; left out: the "
          "simpler of both")
      ->check(CLI::IsMember({"recorded", "solve"}));
  command
      ->add_option(
          "--encoding", options->encoding,
          "order: searches and a formula in Z3, side by side; paper: the formulas of the paper as printed, by Z3 "
          "alone (slow; for comparison)")
      ->capture_default_str()
      ->check(CLI::IsMember({"order", "paper"}));
  command->add_option("--all-causes", options->allCauses, "List up to so many minimal causes")
      ->check(CLI::PositiveNumber);
  command->add_option("--all-alternates", options->allAlternates, "Look for up to so many schedules that pass")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--level", options->level,
                   "Use no more of the recording than profile --record LEVEL would have recorded")
      ->check(CLI::IsMember({"path", "addresses", "full"}));
  command->add_flag("--again", options->again, "Compute anew what an earlier diagnosis of this recording found");
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
