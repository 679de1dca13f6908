#include "dsp/diagnose.h"
#include "dsp/certify.h"
#include "dsp/saved_phases.h"
#include "support/files.h"
#include "support/stopwatch.h"
#include "symexec/symexec.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

SolverStats merged(const SolverStats& a, const SolverStats& b) {
  return {std::max(a.constraints, b.constraints), std::max(a.variables, b.variables), a.calls + b.calls,
          a.searches + b.searches};
}

size_t countAccesses(const SymbolicTrace& trace) {
  return size_t(std::count_if(trace.events.begin(), trace.events.end(),
                              [](const Event& event) { return isAccess(event.kind); }));
}

// The recording itself, not `latest`, so that the commands in an old report stay right.
std::string nameOf(const fs::path& directory) {
  std::error_code unresolved;
  const fs::path resolved = fs::proximate(fs::canonical(directory, unresolved), unresolved);
  return unresolved ? directory.string() : resolved.string();
}

Error nothingToExplain(const SymbolicTrace& trace) {
  return badInput(
      fmt::format("the recorded run passed ({}): there is no failure to explain. Record one that fails "
                  "with: symbiosis profile",
                  trace.failure.message));
}

// Of what the answers of the stages depend on.
std::string keyOf(const DiagnoseOptions& options, const SymbolicTrace& trace, const Recording& recording) {
  return contentHash(fmt::format("{} {} {} {} {} {} {} {}\n{}", SYMBIOSIS_VERSION, recording.info.programHash,
                                 int(options.failing.order), int(options.solver.encoding),
                                 options.explain.mostCauses, options.explain.mostAlternates,
                                 options.failing.reduces, options.replays, toText(trace)));
}

// Both schedules on the real program. Its counts are worth keeping if nothing is missing.
Certificate certifyBoth(const Recording& recording, const SymbolicTrace& trace, const Explanation& explanation,
                        size_t replays, Observer& observer) {
  const Alternate& alternate = explanation.alternates.front();
  const size_t schedules = alternate.status == AlternateStatus::found ? 2 : 1;
  if (replays > 0) observer.willRun(Stage::certificate, schedules, schedules * replays);
  return certify(recording, trace, explanation.failing, alternate, replays,
                 [&](size_t run, size_t of) { observer.runs(Stage::certificate, run, of); });
}

Confirmation confirm(const Recording& recording, size_t runs, Observer& observer) {
  observer.willRun(Stage::otherSchedules, runs, runs);
  return exploreOtherSchedules(recording, runs,
                               [&](size_t run, size_t of) { observer.runs(Stage::otherSchedules, run, of); });
}

std::vector<std::string> limitsOf(const SymbolicTrace& trace, const FailingSchedule& failing,
                                  const Explanation& explanation, const ExplainOptions& options) {
  std::vector<std::string> limits = failing.limits;
  if (options.mostCauses > 1 && !explanation.hasAllCauses)
    limits.push_back("there may be more causes than those listed");
  for (std::string& limit : symbiosis::limitsOf(trace)) limits.push_back(std::move(limit));
  return limits;
}

} // namespace

Result<DiagnosedRun> diagnose(const Recording& recording, const DiagnoseOptions& options, Observer& observer) {
  const Stopwatch total;
  StageSeconds seconds;

  // 1. Symbolic trace collection (§3.2): each thread's path is followed; what it read from others is symbolic.
  observer.begins(Stage::symbolicTrace);
  Result<SymbolicTrace> trace =
      timed(seconds.symexec, [&] { return executeSymbolically(recording, {.atMost = options.level}); });
  if (!trace) return trace.error();
  if (trace->failure.kind == FailureKind::none) return nothingToExplain(*trace);

  // What an earlier diagnosis of this recording has found is not computed again.
  StageCache stages(recording.directory / "report" / "phases.json", keyOf(options, *trace, recording), *trace,
                    !options.again);
  if (stages.hasFound()) observer.goesOnFromSaved();

  // 2. Failing schedule (§3.3): an order of all events that fails as the recorded run did. From here on every
  //    schedule has been evaluated.
  Result<FailingSchedule> failing = stages.cached(&SavedPhases::failing, [&] {
    observer.begins(Stage::failingSchedule);
    return findFailingSchedule(*trace, recording, options.solver, options.failing);
  });
  if (!failing) return failing.error();

  // 3., 4. Root cause (§3.4): the orderings that force the failure. Alternate (§3.5): the nearest schedule that
  //    passes. The failing schedule is from here on the one that they explain.
  ScheduleSolver solver(*trace, options.solver);
  solver.guideBy(failing->order);
  Result<Explanation> explanation = stages.cached(&SavedPhases::explanation, [&] {
    return explain(*trace, solver, failing->order, options.explain, observer);
  });
  if (!explanation) return explanation.error();

  // 5. Differential schedule projection (§3.6): what differs, and what to call it.
  Diagnosis diagnosis = describe(*trace, *explanation);

  // 6. Certificate: both schedules on the real program.
  Result<Certificate> certificate = stages.cached(&SavedPhases::certificate, [&] {
    return timed(seconds.replay,
                 [&] { return certifyBoth(recording, *trace, *explanation, options.replays, observer); });
  });
  if (!certificate) return certificate.error();
  diagnosis.certificate = *certificate;

  // 7. Without an alternate: whether other paths fail as well.
  if (diagnosis.alternate.status == AlternateStatus::noneProved && options.replays > 0)
    diagnosis.confirmation = timed(seconds.replay, [&] { return confirm(recording, options.replays, observer); });

  diagnosis.program = {recording.info.program, recording.info.arguments};
  diagnosis.recording = nameOf(recording.directory);
  diagnosis.originalSwitches = failing->originalSwitches;
  diagnosis.originalPreemptions = failing->originalPreemptions;
  diagnosis.limits = limitsOf(*trace, *failing, *explanation, options.explain);
  diagnosis.stats = {recording.info.logBytes, trace->events.size(), countAccesses(*trace),
                     merged(failing->solver, solver.stats()), seconds};
  (diagnosis.stats.seconds += failing->seconds) += explanation->seconds;
  diagnosis.stats.seconds.total = total.seconds();
  return DiagnosedRun{std::move(*trace), std::move(diagnosis)};
}

} // namespace symbiosis
