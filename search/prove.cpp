#include "search/prove.h"
#include "replay/guest_strategies.h"
#include "search/data_races.h"
#include "search/path_limits.h"
#include "support/stopwatch.h"
#include "symexec/beyond_model.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

constexpr size_t kMostListed = 8; // of one sort of reason

class Prover {
public:
  Prover(const ProveOptions& options, const ProveObserver& observer, PathRuns& runs)
      : options_(options), observer_(observer), runs_(runs) {}

  Result<Proof> run() {
    Result<std::vector<BeyondModel>> beyond = beyondModel(runs_.program().launch.program);
    if (!beyond) return beyond.error();
    ExhaustObserver watching{observer_.progress,
                             [&](const ExecutedRun& run, size_t number) { return keep(run, number); }};
    Result<Exhausted> explored = exhaust(runs_, options_.exhaust, watching);
    if (!explored) return explored.error();
    explored_ = std::move(*explored);
    proof_.paths = explored_.paths.size();
    for (const auto& [reason, count] : explored_.open)
      addOpen(count == 1 ? reason : fmt::format("{} ({} times)", reason, count));
    for (const BeyondModel& call : *beyond)
      addOpen(fmt::format("{}{} is not covered", call.what,
                          call.place.empty() ? "" : fmt::format(" ({})", call.place)));
    for (const auto& path : explored_.paths)
      for (const std::string& limit : limitsOfPath(*path)) addOpen(limit);
    if (explored_.end == PathEnd::everythingAsked) {
      say("data races");
      lookForRaces();
    }
    if (explored_.end == PathEnd::everythingAsked && proof_.open.empty()) {
      say("random schedules");
      if (Result<void> done = checkPaths(); !done) return done.error();
    }
    proof_.verdict = proof_.failure ? ProofVerdict::failure
                     : explored_.isComplete() && proof_.open.empty() && proof_.beyondOrder.empty() &&
                             proof_.checked == options_.checks
                         ? ProofVerdict::proved
                         : ProofVerdict::notFinished;
    proof_.seconds = watch_.seconds();
    explored_.paths.clear();
    proof_.explored = std::move(explored_);
    return std::move(proof_);
  }

private:
  void say(const char* stage) const {
    if (observer_.stage) observer_.stage(stage);
  }

  void addOpen(std::string reason) {
    if (std::find(proof_.open.begin(), proof_.open.end(), reason) == proof_.open.end())
      proof_.open.push_back(std::move(reason));
  }

  double secondsLeft() const { return options_.exhaust.seconds - watch_.seconds(); }

  Result<void> keep(const ExecutedRun& run, size_t number) {
    if (proof_.failure) return {};
    Result<RecordedRun> kept = runs_.keep(run, number, options_.record);
    if (!kept) return kept.error();
    proof_.failure = std::move(*kept);
    proof_.failedAt = number;
    return {};
  }

  void addBeyondOrder(std::string what) {
    std::vector<std::string>& known = proof_.beyondOrder;
    if (std::find(known.begin(), known.end(), what) == known.end() && known.size() < kMostListed)
      known.push_back(std::move(what));
  }

  void lookForRaces() {
    RacingPlaces known;
    for (const auto& path : explored_.paths) {
      const SymbolicTrace& trace = path->run.trace;
      for (EventRef ref = 0; ref < trace.events.size(); ++ref)
        if (trace.event(ref).weak)
          addBeyondOrder(fmt::format("atomic access to {} weaker than seq_cst ({})", trace.event(ref).variable,
                                     placeText(trace, trace.event(ref).location)));
      if (secondsLeft() <= 0) return addOpen("whether there are data races: no time left");
      const RaceSearch found =
          findRaces(trace, known, {.seconds = std::min(options_.exhaust.questionSeconds, secondsLeft())});
      for (const DataRace& race : found.races)
        addBeyondOrder(fmt::format("data race on {}: {} and {}", trace.event(race.first).variable,
                                   placeText(trace, trace.event(race.first).location),
                                   placeText(trace, trace.event(race.second).location)));
      if (found.unanswered > 0) addOpen(fmt::format("whether there are data races: {}", found.reason));
    }
  }

  bool isKnown(const ExploredPath& path) const {
    return std::any_of(explored_.paths.begin(), explored_.paths.end(), [&](const auto& other) {
      if (other->run.trace.threads.size() != path.run.trace.threads.size()) return false;
      for (ThreadIndex thread = 0; thread < path.run.trace.threads.size(); ++thread)
        if (partingOf(path, *other, thread) != kNeverParts) return false;
      return true;
    });
  }

  // Runs that nobody has chosen: one on an unknown path would show that something decides which no question knows.
  Result<void> checkPaths() {
    GuestStrategies strategies(blindStrategies(), 1, 0);
    for (size_t number = 1; number <= options_.checks; ++number) {
      Result<ExecutedRun> run = runs_.execute(strategies.next(number, runs_.free()));
      if (!run) return run.error();
      strategies.ended(number, run->report, run->outcome);
      if (run->outcome == RunOutcome::failed) {
        addOpen("a random schedule failed though all paths were known (a bug of ours)");
        return keep(*run, runs_.executions());
      }
      Result<ExploredPath> path = runs_.walk(*run, explored_.paths.size());
      if (run->outcome != RunOutcome::passed || !path || !isKnown(*path))
        return addOpen("a random schedule took a path that no question had led to (a bug of ours, or something "
                       "outside of the program decides)"),
               Result<void>();
      ++proof_.checked;
    }
    return {};
  }

  const ProveOptions& options_;
  const ProveObserver& observer_;
  PathRuns& runs_;
  const Stopwatch watch_;
  Exhausted explored_;
  Proof proof_;
};

} // namespace

Result<Proof> prove(const ProveOptions& options, const ProveObserver& observer) {
  Result<PathRuns> runs = PathRuns::of(options.record);
  if (!runs) return runs.error();
  const InterruptWatch watch;
  return Prover(options, observer, *runs).run();
}

} // namespace symbiosis
