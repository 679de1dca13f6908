#include "replay/explore.h"
#include "replay/run_lessons.h"
#include "support/stopwatch.h"
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace symbiosis {

namespace {

constexpr uint64_t kRunsOfOneThread = 10;     // then there is nothing to schedule
constexpr uint64_t kStuckAtOnePlace = 2;      // each takes seconds
constexpr uint64_t kGivenUpForOneReason = 20; // and no run has come to its end
constexpr uint64_t kNeverRepeated = 20;

class Explorer {
public:
  Explorer(const ExploreOptions& options, ScheduleSource& source,
           const std::function<void(const ExploreCounts&)>& progress)
      : options_(options), source_(source), progress_(progress), jobs_(options.jobs), last_(options.runs) {}

  Result<ExploreResult> run() {
    const Stopwatch watch;
    for (uint64_t first = 1; first <= last_ && goesOn();) {
      const uint64_t size = std::min(source_.roundFrom(first), last_ - first + 1);
      if (size == 0) break;
      runRound(first, first + size);
      first += size;
    }
    if (problem_) return *problem_;
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

private:
  bool goesOn() const {
    const bool isAnswered = options_.stopAtFirstFailure && !options_.keepsGoing && result_.failure;
    return !problem_ && !isAnswered && result_.stopped == EarlyStop::none;
  }

  // Ends early when a run has failed and is believed.
  void runRound(uint64_t first, uint64_t end) {
    ended_.clear();
    do {
      runUntilFailure(first, end);
      if (failures_.empty() || !options_.stopAtFirstFailure) return;
      first = failures_.begin()->first; // lower ones have all ended
      judgeFailure();
    } while (goesOn());
  }

  // Ends early when a run has failed; runs with lower numbers are still made.
  void runUntilFailure(uint64_t first, uint64_t end) {
    next_ = first;
    auto work = [&] {
      for (uint64_t number = next_++; number < end && number <= last_; number = next_++)
        if (!ended_.contains(number)) tryRun(number);
    };
    std::vector<std::thread> workers;
    for (uint64_t job = 1; job < std::min<uint64_t>(jobs_, end - first); ++job) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    ended_.insert(endedNow_.begin(), endedNow_.end());
    endedNow_.clear();
  }

  ControlledRun runNumber(uint64_t number) {
    ControlledRun run;
    run.launch = options_.launch;
    run.heldMegabytes = options_.heldMegabytes;
    run.stepLimit = options_.stepLimit;
    run.log = format::ControlLog::switches;
    const std::lock_guard guard(mutex_);
    return source_.next(number, std::move(run));
  }

  void tryRun(uint64_t number) {
    ControlledRun run = runNumber(number);
    Result<ControlReport> report = runControlled(run);
    const std::lock_guard guard(mutex_);
    if (InterruptWatch::wasInterrupted()) return stop(EarlyStop::interrupted); // and this run with us
    if (!report) {
      problem_ = report.error();
      last_ = 0;
      return;
    }
    const RunOutcome outcome = outcomeOf(*report, options_.expectedExit);
    source_.ended(number, *report, outcome);
    endedNow_.push_back(number);
    result_.counts.add(outcome);
    if (number == 1) result_.holding = report->holding;
    result_.gaveBlocksBack |= report->givenBack > 0;
    result_.mostThreads = std::max(result_.mostThreads, report->threads.size());
    if (outcome == RunOutcome::failed)
      noteFailure(number, std::move(run), std::move(*report));
    else if (outcome != RunOutcome::passed)
      noteUncounted(outcome, placeOf(*report), placeOf(*report));
    else if (result_.mostThreads <= 1 && result_.counts.passed >= kRunsOfOneThread)
      stop(EarlyStop::oneThread);
    if (progress_) progress_(result_.counts);
  }

  // Runs with lower numbers that have begun are still finished, so that the answer does not depend on `jobs`.
  void noteFailure(uint64_t number, ControlledRun run, ControlReport report) {
    failures_.insert_or_assign(number, FoundFailure{{std::move(run), std::move(report)}, number});
    if (options_.stopAtFirstFailure && number < last_) last_ = number;
    if (!options_.stopAtFirstFailure) result_.failure = failures_.begin()->second;
  }

  // The lowest of those that have failed.
  void judgeFailure() {
    FoundFailure found = std::move(failures_.begin()->second);
    if (options_.keepsGoing && isKnown(found)) return goOnBehind(found.run);
    if (jobs_ > 1 && options_.repeat && !failsAlone(found)) return goOnAlone(found.run);
    const Result<void> repeated = options_.repeat ? options_.repeat(found) : Result<void>();
    if (repeated) return believe(std::move(found));
    if (repeated.error().kind != ErrorKind::nothingFound) {
      problem_ = repeated.error();
      return;
    }
    if (InterruptWatch::wasInterrupted()) stop(EarlyStop::interrupted);
    result_.counts.takeBack(RunOutcome::failed);
    result_.counts.add(RunOutcome::unrepeated);
    noteUncounted(RunOutcome::unrepeated, toText(found.report.ending),
                  fmt::format("{}; {}", toText(found.report.ending), repeated.error().message));
    goOnBehind(found.run);
  }

  void believe(FoundFailure found) {
    const uint64_t run = found.run;
    if (options_.keepsGoing) result_.distinct.push_back({failureText(found.report), run, 1});
    if (!result_.failure) result_.failure = std::move(found);
    if (options_.keepsGoing) goOnBehind(run);
  }

  bool isKnown(const FoundFailure& found) {
    const std::string text = failureText(found.report);
    auto known = std::find_if(result_.distinct.begin(), result_.distinct.end(),
                              [&](const DistinctFailure& failure) { return failure.text == text; });
    if (known == result_.distinct.end()) return false;
    ++known->runs;
    return true;
  }

  void goOnBehind(uint64_t run) {
    failures_.erase(run);
    if (goesOn()) last_ = failures_.empty() ? options_.runs : failures_.begin()->first;
  }

  // The run as it was made, to its end, so that it cleans up what it has made.
  bool failsAlone(FoundFailure& found) const {
    Result<ControlReport> alone = runControlled(found.how);
    if (!alone || outcomeOf(*alone, options_.expectedExit) != RunOutcome::failed) return false;
    found.report = std::move(*alone);
    return true;
  }

  // What has failed beside other copies of the program is tried once more.
  void goOnAlone(uint64_t since) {
    jobs_ = 1;
    result_.aloneSince = since;
    for (const auto& [number, failure] : failures_) {
      ended_.erase(number);
      result_.counts.takeBack(RunOutcome::failed);
    }
    failures_.clear();
    if (goesOn()) last_ = options_.runs;
  }

  std::string placeOf(const ControlReport& report) const {
    if (!report.text.empty()) return report.text;
    if (report.ending.kind == EndingKind::timedOut)
      return fmt::format("thread {} was still running after {} s (--timeout)", report.lastThread,
                         options_.launch.timeoutSeconds);
    return toText(report.ending);
  }

  void noteUncounted(RunOutcome outcome, const std::string& place, const std::string& reason) {
    auto same = [&](const UncountedRuns& runs) { return runs.outcome == outcome && runs.place == place; };
    auto known = std::find_if(result_.uncounted.begin(), result_.uncounted.end(), same);
    if (known == result_.uncounted.end())
      known = result_.uncounted.insert(known, UncountedRuns{outcome, place, reason, 0});
    ++known->runs;
    const ExploreCounts& counts = result_.counts;
    if (outcome == RunOutcome::stuck && known->runs >= kStuckAtOnePlace) stop(EarlyStop::stuckTwice);
    if (outcome == RunOutcome::gaveUp && known->runs >= kGivenUpForOneReason && known->runs == counts.runs)
      stop(EarlyStop::alwaysGivesUp);
    if (outcome == RunOutcome::unrepeated && counts.unrepeated >= kNeverRepeated) stop(EarlyStop::neverRepeats);
  }

  void stop(EarlyStop why) {
    if (result_.stopped == EarlyStop::none) result_.stopped = why;
    last_ = 0;
  }

  const ExploreOptions& options_;
  ScheduleSource& source_;
  const std::function<void(const ExploreCounts&)>& progress_;
  unsigned jobs_;
  std::atomic<uint64_t> next_ = 1, last_;
  std::set<uint64_t> ended_; // of this round; changes only while nothing runs
  std::mutex mutex_;         // of the source and of what follows
  std::vector<uint64_t> endedNow_;
  std::map<uint64_t, FoundFailure> failures_; // that have not been judged
  std::optional<Error> problem_;
  ExploreResult result_;
};

} // namespace

Result<ExploreResult> explore(const ExploreOptions& options, ScheduleSource& source,
                              const std::function<void(const ExploreCounts&)>& progress) {
  return Explorer(options, source, progress).run();
}

Result<bool> threadsMeet(ControlledRun run) {
  run.log = format::ControlLog::everything;
  run.stepLimit = 200'000;
  Result<ControlReport> report = runControlled(run);
  if (!report) return report.error();
  return threadsMet(*report) || report->outcome == format::ControlOutcome::stepLimit; // who knows
}

} // namespace symbiosis
