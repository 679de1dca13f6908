#include "search/predict.h"
#include "search/turn_runs.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

class Predictor {
public:
  Predictor(const PredictOptions& options, const std::function<void(const Exhausted&)>& progress, PathRuns& runs)
      : options_(options), progress_(progress), runs_(runs) {}

  Result<Prediction> run() {
    ExhaustObserver observer{progress_, [&](const ExecutedRun& run, size_t number) { return keep(run, number); }};
    Result<Exhausted> explored = exhaust(runs_, options_.exhaust, observer);
    if (!explored) return explored.error();
    result_.paths = explored->paths.size();
    if (!explored->paths.empty()) {
      const ExploredPath& first = *explored->paths.front();
      result_.threads = first.run.trace.threads.size();
      result_.events = first.run.trace.events.size();
      for (const auto& own : first.decisions) result_.decisions += own.size();
      if (options_.races)
        if (Result<void> done = runRaces(first); !done) return done.error();
    }
    if (result_.failure)
      if (Result<void> done = replay(); !done) return done.error();
    explored->paths.clear();
    result_.explored = std::move(*explored);
    return std::move(result_);
  }

private:
  Result<void> keep(const ExecutedRun& run, size_t number) {
    if (result_.failure) return {};
    Result<RecordedRun> kept = runs_.keep(run, number, options_.record);
    if (!kept) return kept.error();
    result_.failure = std::move(*kept);
    result_.failedAt = number;
    result_.report = run.report;
    return {};
  }

  Result<void> replay() {
    Result<Recording> recording = openRecording(result_.failure->directory);
    if (!recording) return recording.error();
    for (size_t i = 0; i < options_.replays; ++i) {
      Result<ControlledRun> again = runAsRecorded(*recording, {});
      if (!again) return again.error();
      Result<ControlReport> report = runControlled(*again);
      if (!report) return report.error();
      result_.replayed += outcomeOf(*report, options_.record.expectedExit) == RunOutcome::failed &&
                          failAlike(result_.report, *report);
    }
    return {};
  }

  static std::string wordsFor(const SymbolicTrace& trace, EventRef ref) {
    const Event& event = trace.event(ref);
    const char* does = event.kind == EventKind::read    ? "reads"
                       : event.kind == EventKind::write ? "writes"
                                                        : "changes";
    return fmt::format("{} ({}) {}", placeText(trace, event.location), trace.threads[event.id.thread].displayName,
                       does);
  }

  // Each is brought about: both threads come to their accesses, then the one is made and the other.
  Result<void> runRaces(const ExploredPath& path) {
    const SymbolicTrace& trace = path.run.trace;
    RacingPlaces known;
    const RaceSearch found = findRaces(trace, known, {.seconds = options_.exhaust.questionSeconds});
    for (const DataRace& race : found.races) {
      Schedule schedule = toSchedule(trace, race.meeting, path.run.recording.info.programHash);
      Result<ControlledRun> how = runs_.along(path, schedule, Expectation::passes);
      if (!how) return how.error();
      Result<ExecutedRun> run = runs_.execute(std::move(*how));
      if (!run) return run.error();
      if (run->outcome == RunOutcome::diverged) {
        ++result_.racesNotExecuted;
        continue;
      }
      result_.races.push_back({trace.event(race.first).variable, wordsFor(trace, race.first),
                               wordsFor(trace, race.second), run->outcome == RunOutcome::failed});
      if (run->outcome != RunOutcome::failed || result_.failure) continue;
      if (Result<void> kept = keep(*run, runs_.executions()); !kept) return kept;
    }
    return {};
  }

  const PredictOptions& options_;
  const std::function<void(const Exhausted&)>& progress_;
  PathRuns& runs_;
  Prediction result_;
};

} // namespace

Result<Prediction> predict(const PredictOptions& options, const std::function<void(const Exhausted&)>& progress) {
  Result<PathRuns> runs = PathRuns::of(options.record);
  if (!runs) return runs.error();
  const InterruptWatch watch;
  return Predictor(options, progress, *runs).run();
}

} // namespace symbiosis
