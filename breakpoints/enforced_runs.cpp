// The program with orderings under control (profiler/runtime/control/orderings.cpp): what makes it fail whatever
// else the threads do is a breakpoint worth writing down.
#include "breakpoints/orderings.h"
#include "replay/guest_strategies.h"
#include "trace/strategies.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

// Those that explore, and the two that come nearest to a machine on which nothing else happens.
ControlledRun withStrategy(ControlledRun run, size_t number) {
  Strategies all = blindStrategies();
  all.push_back(format::Strategy::fair);
  all.push_back(format::Strategy::stay);
  run.strategy = all[number % all.size()];
  run.seed = number + 1;
  run.parameters = format::rowOf(run.strategy).parameters(number / all.size());
  return run;
}

// The recorded failure came again, as far as an outcome shows it: what was recorded is all that is known of it.
bool failsLike(const Recording& recording, const ControlReport& report) {
  if (outcomeOf(report, recording.info.expectedExit) != RunOutcome::failed) return false;
  if (!recording.failure) return true;
  if (!report.failure || report.failure->cause != recording.failure->cause) return false;
  if (recording.failure->cause == format::FailureCause::signal)
    return report.failure->signal == recording.failure->signal;
  return report.failure->line == recording.failure->line;
}

format::ControlEntry entryOf(uint32_t thread, format::EntryType type, uint64_t index) {
  format::ControlEntry entry{};
  entry.thread = thread;
  entry.type = type;
  entry.index = index;
  return entry;
}

} // namespace

Result<Plan> planOf(const SymbolicTrace& trace, const Orderings& orderings) {
  ThreadTable table;
  Plan plan;
  for (const Ordering& each : orderings) {
    const EventId before = trace.event(each.before).id, after = trace.event(each.after).id;
    Result<uint32_t> one = table.numberOf(trace.threads[before.thread].id);
    if (!one) return one.error();
    Result<uint32_t> other = table.numberOf(trace.threads[after.thread].id);
    if (!other) return other.error();
    plan.entries.push_back(
        entryOf(*one, format::EntryType::reached, each.isHold ? ~uint64_t{0} : before.index + 1));
    plan.entries.push_back(entryOf(*other, format::EntryType::awaits, after.index + (each.isBehind ? 1 : 0)));
  }
  plan.threads = table.threads();
  return plan;
}

Result<EnforcedRuns> runEnforced(const Recording& recording, const SymbolicTrace& trace,
                                 const Orderings& orderings, size_t number, bool stopsEarly,
                                 const std::function<void(size_t)>& progress) {
  Result<Plan> plan = planOf(trace, orderings);
  if (!plan) return plan.error();
  ControlledRun run = runOf(recording, std::move(*plan), {});
  run.stepLimit = 20'000'000;
  // What is held until the failure is held when that comes, and no ordering that could be kept.
  const size_t kept =
      size_t(std::count_if(orderings.begin(), orderings.end(), [](const Ordering& each) { return !each.isHold; }));
  EnforcedRuns result;
  while (result.runs < number) {
    Result<ControlReport> report = runControlled(withStrategy(run, result.runs));
    if (!report) return report.error();
    ++result.runs;
    if (progress) progress(result.runs);
    const RunOutcome outcome = outcomeOf(*report, recording.info.expectedExit);
    const bool failed = failsLike(recording, *report);
    result.failed += failed;
    result.undecided += outcome != RunOutcome::passed && outcome != RunOutcome::failed;
    result.hit += report->consumed >= kept;
    if (stopsEarly && !failed) break;
  }
  return result;
}

namespace {

class Weakening {
public:
  Weakening(const Recording& recording, const SymbolicTrace& trace, size_t number,
            const std::function<void(size_t)>& progress)
      : recording_(recording), trace_(trace), number_(number), progress_(progress) {}

  Result<bool> fails(const Orderings& orderings) {
    Result<EnforcedRuns> made = runEnforced(recording_, trace_, orderings, number_, true);
    if (!made) return made.error();
    runs += made->runs;
    if (progress_) progress_(runs);
    return made->failed == number_;
  }

  // Leaves out as many of those that `may` names as can be: halves first, then quarters and so on.
  Result<void> leaveOut(Orderings& kept, const KeepsPlace& may) {
    for (size_t chunk = std::max<size_t>(kept.size() / 2, 1);; chunk /= 2) {
      for (size_t at = 0; at < kept.size();) {
        Orderings fewer;
        size_t left = 0, passed = at;
        for (size_t i = 0; i < kept.size(); ++i) {
          const bool goes = i >= at && left < chunk && may(kept[i]);
          if (goes)
            ++left, passed = i + 1;
          else
            fewer.push_back(kept[i]);
        }
        if (left == 0) break;
        Result<bool> still = fails(fewer);
        if (!still) return still.error();
        if (*still)
          kept = std::move(fewer);
        else
          at = passed;
      }
      if (chunk == 1) return {};
    }
  }

  size_t runs = 0;

private:
  const Recording& recording_;
  const SymbolicTrace& trace_;
  const size_t number_;
  const std::function<void(size_t)>& progress_;
};

} // namespace

Result<Weakened> weakened(const Recording& recording, const SymbolicTrace& trace, const Orderings& all,
                          const KeepsPlace& isWanted, size_t number, const std::function<void(size_t)>& progress) {
  Weakened result{all, {}, 0};
  Result<EnforcedRuns> first = runEnforced(recording, trace, all, number, false);
  if (!first) return first.error();
  if (first->failed < number)
    return nothingFound(fmt::format("with all {} orderings of the failing schedule {} of {} runs failed, and all "
                                    "of them were kept in {}: what else happens in a run matters, too",
                                    all.size(), first->failed, number, first->hit));
  result.runs = number;
  // Twice as many runs for each question if the answer does not hold in more of them.
  for (size_t runs : {number, 2 * number}) {
    Weakening weakening(recording, trace, runs, progress);
    result.orderings = all;
    for (const KeepsPlace& may : {KeepsPlace([&](const Ordering& each) { return !isWanted(each); }),
                                  KeepsPlace([](const Ordering&) { return true; })})
      if (Result<void> done = weakening.leaveOut(result.orderings, may); !done) return done.error();
    Result<EnforcedRuns> check = runEnforced(recording, trace, result.orderings, 4 * runs, false);
    if (!check) return check.error();
    result.check = *check;
    result.runs += weakening.runs + check->runs;
    if (check->failed == check->runs) break;
  }
  return result;
}

} // namespace symbiosis
