#include "search/turned_runs.h"
#include "replay/run_outcome.h"
#include <algorithm>
#include <atomic>
#include <thread>

namespace symbiosis {
namespace {

constexpr uint64_t kMostPoints = 2'000'000;
constexpr double kMostSeconds = 20; // of one run

// What a replay can be told to do: not what never happened, nor what failed.
bool isReal(const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  return !event.synthetic && !event.pending && event.kind != EventKind::failure;
}

Schedule plainSchedule(const SymbolicTrace& trace, const EventOrder& order, const std::string& program) {
  Schedule schedule = toSchedule(trace, order, program);
  for (ScheduleEntry& entry : schedule.entries) entry.choice = 0;
  return schedule;
}

// The strategy behind the prefix. All of them differ, so that what they agree on is not a habit of one. In every
// other one nobody is interrupted any more, only who goes first differs: where the same thing can go wrong again
// and again, others would fail by the next one.
void goOn(ControlledRun& run, size_t number) {
  constexpr format::Strategy kTurns[] = {format::Strategy::randomWalk, format::Strategy::pct,
                                         format::Strategy::pos};
  const bool isCalm = number % 2 == 1;
  run.seed = number;
  run.strategy = number < 2 ? format::Strategy::stay
                 : isCalm   ? format::Strategy::pct
                            : kTurns[(number / 2 - 1) % 3];
  run.parameters = format::rowOf(run.strategy).parameters(number / 3);
  if (isCalm) run.parameters.depth = 1;
}

} // namespace

bool TurnedRuns::passes(const ControlReport& report) const {
  return report.outcome == format::ControlOutcome::finished && !report.stuck && !report.failure &&
         report.ending == Ending{EndingKind::exited, recording_.info.expectedExit};
}

// The prefix; then its thread is past the decision, and from there on what does not fit is no divergence; then
// what the others did in the failing run.
Schedule TurnedRuns::withRest(const EventOrder& prefix) const {
  std::vector<bool> done(trace_.events.size());
  for (EventRef ref : prefix) done[ref] = true;
  const Event& decision = trace_.event(prefix.back());
  EventOrder rest;
  for (EventRef ref : failing_)
    if (!done[ref] && isReal(trace_, ref) && trace_.threadOf(ref) != decision.id.thread) rest.push_back(ref);
  Schedule schedule = plainSchedule(trace_, prefix, recording_.info.programHash);
  schedule.entries.push_back({.thread = trace_.threads[decision.id.thread].id,
                              .index = decision.id.index + 1,
                              .kind = EventKind::failure,
                              .object = "-",
                              .choice = 0});
  const Schedule more = plainSchedule(trace_, rest, recording_.info.programHash);
  schedule.entries.insert(schedule.entries.end(), more.entries.begin(), more.entries.end());
  return schedule;
}

Result<ControlledRun> TurnedRuns::along(const Schedule& schedule) const {
  ReplayOptions options;
  options.expectation = Expectation::passes;
  options.timeoutSeconds = kMostSeconds;
  Result<ControlledRun> run = runAlong(recording_, schedule, options);
  if (!run) return run;
  run->stepLimit = kMostPoints;
  run->log = format::ControlLog::switches;
  return run;
}

Result<ControlledRun> TurnedRuns::continuation(const EventOrder& prefix, size_t number) const {
  Result<ControlledRun> run =
      along(number == 0 ? withRest(prefix) : plainSchedule(trace_, prefix, recording_.info.programHash));
  if (run) goOn(*run, number);
  return run;
}

Result<ControlledRun> TurnedRuns::delayed(EventRef hold, size_t number) const {
  EventOrder prefix;
  for (EventRef ref : failing_) {
    if (ref == hold) break;
    if (isReal(trace_, ref)) prefix.push_back(ref);
  }
  Result<ControlledRun> run = along(plainSchedule(trace_, prefix, recording_.info.programHash));
  if (!run) return run;
  const std::vector<std::string> ids = threadIds(run->plan.threads);
  const auto held = std::find(ids.begin(), ids.end(), trace_.threads[trace_.threadOf(hold)].id);
  if (held == ids.end()) return nothingFound("the thread to hold back has not begun");
  run->strategy = format::Strategy::holdBack;
  run->parameters = format::rowOf(run->strategy).parameters(number);
  run->parameters.held = uint32_t(held - ids.begin()) + 1;
  run->seed = number;
  return run;
}

void TurnedRuns::count(Trial& trial, const ControlledRun& how, const ControlReport& report) {
  ++runs_;
  if (report.outcome == format::ControlOutcome::diverged) {
    if (trial.diverged++ == 0) trial.divergence = report.text;
    return;
  }
  ++trial.runs;
  if (outcomeOf(report, recording_.info.expectedExit) == RunOutcome::failed && !trial.failing)
    trial.failing = LoggedRun{how, report};
  if (!passes(report)) return;
  ++trial.passed;
  if (!trial.passing) trial.passing = LoggedRun{how, report};
}

Result<void> TurnedRuns::extend(Trial& trial, const EventOrder& prefix, size_t first, size_t end) {
  return runAll(trial, first, end, [&](size_t number) { return continuation(prefix, number); });
}
Result<void> TurnedRuns::extendDelayed(Trial& trial, EventRef hold, size_t first, size_t end) {
  return runAll(trial, first, end, [&](size_t number) { return delayed(hold, number); });
}

Result<void> TurnedRuns::runAll(Trial& trial, size_t first, size_t end, const MakeRun& make) {
  struct Made {
    Result<ControlledRun> how = nothingFound("not run");
    Result<ControlReport> report = nothingFound("not run");
  };
  std::vector<Made> made(end - first);
  // What gets stuck twice gets stuck always, and each time takes seconds.
  constexpr size_t kMostStuck = 2;
  std::atomic<size_t> next = 0, stuck = 0;
  auto work = [&] {
    for (size_t i = next++; i < made.size() && stuck < kMostStuck; i = next++) {
      made[i].how = make(first + i);
      if (made[i].how) made[i].report = runControlled(*made[i].how);
      if (!made[i].report) continue;
      stuck += made[i].report->stuck || made[i].report->outcome == format::ControlOutcome::diverged;
    }
  };
  std::vector<std::thread> workers;
  const size_t jobs = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), made.size());
  for (size_t job = 1; job < jobs; ++job) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  for (const Made& run : made) {
    if (stuck >= kMostStuck && (!run.how || !run.report)) continue;
    if (!run.how) return run.how.error();
    if (!run.report) return run.report.error();
    count(trial, *run.how, *run.report);
  }
  return {};
}

} // namespace symbiosis
