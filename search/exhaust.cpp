#include "search/exhaust.h"
#include "search/lifetimes.h"
#include "search/standstill_states.h"
#include "support/stopwatch.h"
#include <deque>
#include <fmt/format.h>

namespace symbiosis {
namespace {

constexpr size_t kMostStates = 2'000'000; // of the synchronisation of one path

class Exhaustion {
public:
  Exhaustion(PathRuns& runs, const ExhaustOptions& options, const ExhaustObserver& observer)
      : runs_(runs), options_(options), observer_(observer),
        deadline_(std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(options.seconds))) {}

  Result<Exhausted> run() {
    ControlledRun begin = runs_.free();
    if (options_.first) begin.plan = *options_.first;
    if (Result<ExploredPath*> first = execute(std::move(begin)); !first) return first.error();
    // Paths are added at the end while this goes on.
    for (size_t at = 0; at < result_.paths.size() && goesOn(); ++at) {
      ExploredPath& path = *result_.paths[at];
      if (path.outcome != RunOutcome::passed) continue;
      if (Result<void> done = askStandstills(path); !done) return done.error();
      if (Result<void> done = askUses(path); !done) return done.error();
      if (Result<void> done = askDecisions(path); !done) return done.error();
      next_ = at + 1;
    }
    if (result_.end == PathEnd::limit) countUnasked();
    result_.seconds = watch_.seconds();
    result_.times = runs_.times();
    return std::move(result_);
  }

private:
  bool goesOn() {
    if (result_.end != PathEnd::everythingAsked) return false;
    if (InterruptWatch::wasInterrupted())
      result_.end = PathEnd::interrupted;
    else if (std::chrono::steady_clock::now() > deadline_ || result_.executions >= options_.executions)
      result_.end = PathEnd::limit;
    return result_.end == PathEnd::everythingAsked;
  }

  SolverLimits limits() const { return {.seconds = options_.questionSeconds, .deadline = deadline_}; }

  void leaveOpen(const std::string& why) { ++result_.open[why]; }

  // Runs, walks and keeps the path; null: it is none that can be asked.
  Result<ExploredPath*> execute(ControlledRun how) {
    Result<ExecutedRun> run = runs_.execute(std::move(how));
    if (!run) return run.error();
    ++result_.executions;
    if (run->outcome == RunOutcome::failed) {
      ++result_.failures;
      if (observer_.failed)
        if (Result<void> kept = observer_.failed(*run, result_.executions); !kept) return kept.error();
      if (options_.stopsAtFailure) result_.end = PathEnd::failure;
    } else if (run->outcome != RunOutcome::passed) {
      leaveOpen(fmt::format("a run came to no end of its own: {}",
                            run->report.text.empty() ? toText(run->report.ending) : run->report.text));
      return nullptr;
    }
    if (result_.end == PathEnd::failure) return nullptr;
    Result<ExploredPath> path = runs_.walk(*run, result_.paths.size());
    if (!path) {
      leaveOpen(fmt::format("a run cannot be followed: {}", path.error().message));
      return nullptr;
    }
    result_.paths.push_back(std::make_unique<ExploredPath>(std::move(*path)));
    result_.seconds = watch_.seconds();
    if (observer_.progress) observer_.progress(result_);
    return result_.paths.back().get();
  }

  Result<void> askDecisions(ExploredPath& path) {
    for (ThreadIndex thread = 0; thread < path.decisions.size(); ++thread)
      for (const PathQuestion& question : questionsOf(path, thread, options_.wakesAlone)) {
        if (!goesOn()) return {};
        if (Result<void> done = askEverywhere(path, question); !done) return done;
      }
    return {};
  }

  // Until no area is left in which the decision could go this way to a path that nobody knows.
  Result<void> askEverywhere(ExploredPath& path, const PathQuestion& question) {
    std::vector<ProgressBox> answered;
    while (goesOn()) {
      Result<std::vector<OpenArea>> areas = openAreas(path, question, result_.paths, partings_);
      if (!areas) return leaveOpen(areas.error().message), Result<void>();
      for (const ProgressBox& box : answered) *areas = withoutBox(*areas, box);
      if (areas->empty()) {
        result_.forced += answered.size() == 1 && isEverywhere(path, question, answered.front());
        return {};
      }
      const OpenArea& area = areas->front();
      ++result_.questions;
      const PathAnswer answer = timed(result_.asking, [&] { return ask(path, question, area, limits()); });
      if (answer.answer == Answer::unknown && goesOn()) leaveOpen("no answer: " + answer.reason);
      if (answer.answer != Answer::sat) {
        answered.push_back(area.box);
        continue;
      }
      Result<ControlledRun> how = runs_.along(path, answer.prefix, Expectation::passes);
      if (!how) return how.error();
      result_.sentBy = wordsFor(path, question);
      Result<ExploredPath*> found = execute(std::move(*how));
      if (!found) return found.error();
      if (*found && wentThere(path, question, answer, **found)) continue;
      if (*found) {
        ++result_.astray;
        leaveOpen("a run did not go where the model of another one had sent it (a bug of ours)");
      }
      answered.push_back(area.box);
    }
    return {};
  }

  static bool isEverywhere(const ExploredPath& path, const PathQuestion& question, const ProgressBox& box) {
    for (ThreadIndex thread = 0; thread < box.size(); ++thread)
      if (thread != question.thread && box[thread] != ProgressSpan{0, path.deciding[thread].size()}) return false;
    return true;
  }

  // "T2 decides otherwise at tickets.c:14".
  static std::string wordsFor(const ExploredPath& path, const PathQuestion& question) {
    const SymbolicTrace& trace = path.run.trace;
    const uint32_t at = locationOf(trace, question.decision);
    const char* what = !question.outcome ? "decides otherwise"
                       : trace.event(question.decision.event).kind != EventKind::wake
                           ? "tries with another outcome"
                       : *question.outcome == 0 ? "is woken by a signal"
                       : *question.outcome == 1 ? "waits until its time is over"
                                                : "wakes by itself";
    return fmt::format("{} {}{}", trace.threads[question.thread].displayName, what,
                       at == kNone ? "" : " at " + placeText(trace, at));
  }

  // In which states of this path does everybody wait?
  Result<void> askStandstills(ExploredPath& path) {
    const SymbolicTrace& trace = path.run.trace;
    const StandstillStates found =
        timed(result_.asking, [&] { return findStandstills(trace, kMostStates, deadline_); });
    if (!found.isComplete && goesOn())
      leaveOpen(fmt::format("whether threads can wait for each other: more than {} states", kMostStates));
    for (const std::vector<EventRef>& at : found.states) {
      if (!goesOn()) return {};
      ++result_.questions;
      const Standing standing = waitingAt(trace, at);
      const ScheduleAnswer answer = ScheduleSolver(standing.trace, limits()).failing();
      if (answer.answer == Answer::unknown && goesOn())
        leaveOpen("no answer whether threads can wait for each other: " + answer.reason);
      if (answer.answer != Answer::sat) continue;
      Result<ControlledRun> how = runs_.along(
          path, toSchedule(standing.trace, answer.order, path.run.recording.info.programHash), Expectation::fails);
      if (!how) return how.error();
      result_.sentBy = "all threads wait, each where another one would have to go on";
      const size_t before = result_.failures;
      if (Result<ExploredPath*> run = execute(std::move(*how)); !run) return run.error();
      if (result_.failures == before) ++result_.astray;
      if (result_.failures == before)
        leaveOpen("threads did not come to wait for each other where the model had sent them (a bug of ours)");
    }
    return {};
  }

  // Can something be used when it has been freed or destroyed?
  Result<void> askUses(ExploredPath& path) {
    std::vector<uint32_t> ofLibraries; // path_limits.h names them
    for (const UseAfterEnd& use : possibleUsesAfterEnd(path.run.trace, ofLibraries)) {
      if (!goesOn()) return {};
      ++result_.questions;
      const UseAnswer answer = timed(result_.asking, [&] { return symbiosis::ask(path, use, limits()); });
      if (answer.answer == Answer::unknown && goesOn())
        leaveOpen("no answer whether memory is used when it is gone: " + answer.reason);
      if (answer.answer != Answer::sat) continue;
      Result<ControlledRun> how = runs_.along(path, answer.schedule, Expectation::passes);
      if (!how) return how.error();
      result_.sentBy = fmt::format("{} is used at {} when it is gone", path.run.trace.event(use.use).variable,
                                   placeText(path.run.trace, path.run.trace.event(use.use).location));
      const size_t before = result_.failures;
      if (Result<ExploredPath*> run = execute(std::move(*how)); !run) return run.error();
      if (result_.failures > before) continue;
      ++result_.astray;
      leaveOpen("memory was not used when it was gone where the model had said so (a bug of ours)");
    }
    return {};
  }

  // Ways of decisions of all paths that were not looked at; the first of the paths may be half done.
  void countUnasked() {
    for (size_t at = next_; at < result_.paths.size(); ++at)
      for (ThreadIndex thread = 0; thread < result_.paths[at]->decisions.size(); ++thread)
        result_.unasked += questionsOf(*result_.paths[at], thread, options_.wakesAlone).size();
  }

  PathRuns& runs_;
  const ExhaustOptions& options_;
  const ExhaustObserver& observer_;
  const std::chrono::steady_clock::time_point deadline_;
  const Stopwatch watch_;
  Partings partings_;
  size_t next_ = 0; // paths below have been asked
  Exhausted result_;
};

} // namespace

Result<Exhausted> exhaust(PathRuns& runs, const ExhaustOptions& options, const ExhaustObserver& observer) {
  return Exhaustion(runs, options, observer).run();
}

} // namespace symbiosis
