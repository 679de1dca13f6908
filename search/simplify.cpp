#include "search/simplify.h"
#include "constraints/dependence_graph.h"
#include "replay/replay.h"
#include "search/recorded_runs.h"
#include "support/owned_directory.h"
#include "support/stopwatch.h"
#include "trace/evaluator.h"
#include "trace/switches.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace symbiosis {
namespace {

ScheduleSize sizeOf(const Turns& turns, uint64_t points) {
  std::set<std::string> threads;
  for (const ThreadTurn& turn : turns) threads.insert(turn.thread);
  return {switchesOf(turns), preemptionsOf(turns), threads.size(), points};
}

std::vector<std::string> threadsOnlyIn(const Turns& before, const Turns& after) {
  std::set<std::string> gone;
  for (const ThreadTurn& turn : before) gone.insert(turn.thread);
  for (const ThreadTurn& turn : after) gone.erase(turn.thread);
  return {gone.begin(), gone.end()};
}

class Simplification {
public:
  Simplification(const Recording& recording, const SimplifyOptions& options, const SimplifyProgress& progress)
      : recording_(recording), options_(options), progress_(progress) {}

  Result<Simplified> run(const FailingStart& failing) {
    start_ = failing.schedule;
    if (failing.traced.trace)
      become(failing.traced, SimplifyMethod::automatic, 0, 0);
    else
      found_.note = "static and evaluate were left out: " + failing.whyUntraced;
    if (wants(SimplifyMethod::merge))
      if (Result<void> done = shorten(SimplifyMethod::merge, mergeSegments); !done) return done.error();
    if (wants(SimplifyMethod::evaluate))
      if (Result<void> done = shorten(SimplifyMethod::evaluate, reduceContextSwitches); !done) return done.error();
    if (wants(SimplifyMethod::execute))
      if (Result<void> done = execute(); !done) {
        if (options_.method == SimplifyMethod::execute || !found_.traced.trace) return done.error();
        found_.note = "execute was left out: " + done.error().message;
      }
    if (Result<void> done = replay(); !done) return done.error();
    return std::move(found_);
  }

private:
  bool wants(SimplifyMethod method) const {
    if (method != SimplifyMethod::execute && !found_.traced.trace) return false;
    if (method == SimplifyMethod::execute && options_.mostRuns == 0) return false;
    return options_.method == method || options_.method == SimplifyMethod::automatic;
  }
  double secondsLeft() const { return std::max(0.1, options_.seconds - watch_.seconds()); }

  // From here on this is the schedule.
  void become(TracedSchedule traced, SimplifyMethod method, size_t runs, double seconds) {
    found_.traced = std::move(traced);
    found_.steps.push_back({method, symbiosis::sizeOf(found_.traced), runs, seconds});
    found_.schedule = toSchedule(*found_.traced.trace, found_.traced.order, recording_.info.programHash);
    start_ = found_.schedule;
  }

  // By a function of the trace alone. That the result fails is evaluated, whatever the function promises.
  Result<void> shorten(SimplifyMethod method,
                       EventOrder (*shorter)(const SymbolicTrace&, const EventOrder&, SolverLimits)) {
    progress_(method, 0, found_.after().switches);
    const Stopwatch watch;
    const std::shared_ptr<const SymbolicTrace> trace = found_.traced.trace;
    EventOrder order =
        unhappenedLast(*trace, shorter(*trace, found_.traced.order, SolverLimits{secondsLeft(), 4}));
    if (Evaluator(*trace).run(order).outcome != Outcome::failing)
      return internalError("the simplified schedule does not fail any more");
    if (contextSwitches(*trace, order) > contextSwitches(*trace, found_.traced.order)) order = found_.traced.order;
    become({trace, std::move(order)}, method, 0, watch.seconds());
    return {};
  }

  Result<Plan> startPlan() const {
    if (!start_) return planAsRecorded(recording_);
    Result<ControlledRun> run = runAlong(recording_, *start_, {});
    if (!run) return run.error();
    return std::move(run->plan);
  }

  Result<void> execute() {
    Result<Plan> plan = startPlan();
    if (!plan) return plan.error();
    TinertiaOptions wanted;
    wanted.budget = {options_.mostRuns, secondsLeft()};
    wanted.suffix = options_.suffix;
    Result<TinertiaResult> result =
        simplifyByExecution(recording_, std::move(*plan), wanted, [&](size_t runs, size_t switches) {
          progress_(SimplifyMethod::execute, runs, switches);
        });
    if (!result) return result.error();
    found_.removed = threadsOnlyIn(result->before, result->after);
    found_.executed = std::move(*result);
    return keepExecuted();
  }

  // The run that is left, with a trace if one can be made of it.
  Result<void> keepExecuted() {
    const TinertiaResult& executed = *found_.executed;
    Result<OwnedDirectory> place =
        OwnedDirectory::make(std::filesystem::temp_directory_path(), "symbiosis-simplified-");
    if (!place) return place.error();
    Plan exact = planOf(executed.report);
    exact.entries = withoutAddresses(std::move(exact.entries));
    ControlledRun run = runOf(recording_, std::move(exact), {});
    run.strategy = format::Strategy::fair;
    Result<WalkedRun> walked = recordWalked(recording_, run, RunOutcome::failed, place->path() / "run" / "kept");
    if (walked) {
      TracedSchedule traced{std::make_shared<SymbolicTrace>(std::move(walked->trace)), std::move(walked->order)};
      if (found_.traced.trace && symbiosis::sizeOf(traced).switches > found_.after().switches) {
        found_.steps.push_back({SimplifyMethod::execute, found_.after(), executed.runs, executed.seconds});
        found_.removed.clear();
        return {}; // what it counts as switches is finer than what the trace does: the earlier one is better
      }
      become(std::move(traced), SimplifyMethod::execute, executed.runs, executed.seconds);
      return {};
    }
    if (found_.steps.empty())
      found_.steps.push_back({SimplifyMethod::automatic, sizeOf(executed.before, executed.report.points), 0, 0});
    run.log = format::ControlLog::everything;
    Result<ControlReport> listed = runControlled(run);
    if (!listed) return listed.error();
    found_.schedule = scheduleOf(*listed, recording_.info.programHash);
    found_.traced = {};
    found_.note = "of the run that is left no trace can be made: " + walked.error().message;
    found_.steps.push_back({SimplifyMethod::execute, sizeOf(executed.after, executed.report.points), executed.runs,
                            executed.seconds});
    return {};
  }

  Result<void> replay() {
    for (; found_.replays < options_.replays; ++found_.replays) {
      progress_(SimplifyMethod::automatic, found_.replays + 1, found_.after().switches);
      ReplayOptions how;
      how.seed = found_.replays + 1;
      Result<ReplayOutcome> outcome = replaySchedule(recording_, found_.schedule, how);
      if (!outcome) return outcome.error();
      const bool fails = outcome->result == ReplayResult::failedAsRecorded;
      found_.failedAgain += fails;
      if (!fails && found_.problem.empty())
        found_.problem =
            fmt::format("{}{}{}", toText(outcome->result), outcome->problem.empty() ? "" : ": ", outcome->problem);
    }
    return {};
  }

  const Recording& recording_;
  const SimplifyOptions& options_;
  const SimplifyProgress& progress_;
  const Stopwatch watch_;
  Simplified found_;
  std::optional<Schedule> start_; // what is executed; nothing: what was granted
};

} // namespace

ScheduleSize sizeOf(const TracedSchedule& schedule) {
  const SymbolicTrace& trace = *schedule.trace;
  ScheduleSize size;
  std::vector<bool> acts(trace.threads.size(), false);
  const EventOrder order = untilFailure(trace, schedule.order);
  for (EventRef ref : order) {
    const Event& event = trace.event(ref);
    if (event.pending || event.synthetic) continue;
    ++size.events;
    acts[event.id.thread] = true;
  }
  size.threads = size_t(std::count(acts.begin(), acts.end(), true));
  for (const ContextSwitch& change : switchesOf(trace, order)) {
    ++size.switches;
    size.preemptions += change.preemptive;
  }
  return size;
}

Result<Simplified> simplify(const Recording& recording, const FailingStart& failing,
                            const SimplifyOptions& options, const SimplifyProgress& progress) {
  return Simplification(recording, options, progress).run(failing);
}

} // namespace symbiosis
