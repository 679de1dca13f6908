#include "replay/explore.h"
#include "support/stopwatch.h"
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace symbiosis {

namespace {

class Explorer {
public:
  Explorer(const ExploreOptions& options, ScheduleSource& source,
           const std::function<void(const ExploreCounts&)>& progress)
      : options_(options), source_(source), progress_(progress), last_(options.runs) {}

  Result<ExploreResult> run() {
    const Stopwatch watch;
    for (uint64_t first = 1; first <= last_;) {
      const uint64_t size = std::min(source_.roundFrom(first), last_ - first + 1);
      if (size == 0) break;
      runRound(first, size);
      first += size;
    }
    if (problem_) return *problem_;
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

private:
  // It ends early when a run has failed; runs with lower numbers are still made.
  void runRound(uint64_t first, uint64_t size) {
    next_ = first;
    const uint64_t end = first + size;
    auto work = [&] {
      for (uint64_t number = next_++; number < end && number <= last_; number = next_++) tryRun(number);
    };
    std::vector<std::thread> workers;
    for (uint64_t job = 1; job < std::min<uint64_t>(options_.jobs, size); ++job) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
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
    if (!report) {
      problem_ = report.error();
      last_ = 0;
      return;
    }
    const RunOutcome outcome = outcomeOf(*report, options_.expectedExit);
    source_.ended(number, *report, outcome);
    result_.counts.add(outcome);
    if (number == 1) result_.holding = report->holding;
    result_.gaveBlocksBack |= report->givenBack > 0;
    if (outcome == RunOutcome::failed) noteFailure(number, std::move(run), std::move(*report));
    if (progress_) progress_(result_.counts);
  }

  // Runs with lower numbers that have begun are still finished, so that the answer does not depend on `jobs`.
  void noteFailure(uint64_t number, ControlledRun run, ControlReport report) {
    if (!result_.failure || number < result_.failure->run)
      result_.failure = FoundFailure{number, std::move(run), std::move(report)};
    if (options_.stopAtFirstFailure && number < last_) last_ = number;
  }

  const ExploreOptions& options_;
  ScheduleSource& source_;
  const std::function<void(const ExploreCounts&)>& progress_;
  std::atomic<uint64_t> next_ = 1, last_;
  std::mutex mutex_; // of the source and of what follows
  std::optional<Error> problem_;
  ExploreResult result_;
};

// The recording bodies of the functions have other stack frames, so addresses are not compared.
std::vector<format::ControlEntry> withoutAddresses(std::vector<format::ControlEntry> log) {
  for (format::ControlEntry& entry : log) entry.object = 0;
  return log;
}

// What the threads of `how` were fed, for the threads of the repeat.
std::vector<ThreadInputs> inputsFor(const Plan& repeat, const Plan& how) {
  const std::vector<std::string> wanted = threadIds(repeat.threads), known = threadIds(how.threads);
  std::vector<ThreadInputs> inputs(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    for (size_t k = 0; k < known.size() && k < how.inputs.size(); ++k)
      if (wanted[i] == known[k]) inputs[i] = how.inputs[k];
  return inputs;
}

bool sameEvents(const ControlReport& a, const ControlReport& b) {
  return std::equal(a.log.begin(), a.log.end(), b.log.begin(), b.log.end(),
                    [](const format::ControlEntry& x, const format::ControlEntry& y) {
                      return x.thread == y.thread && x.type == y.type && x.kind == y.kind && x.index == y.index &&
                             x.silent == y.silent && x.site == y.site && x.choice == y.choice;
                    });
}

} // namespace

Result<ExploreResult> explore(const ExploreOptions& options, ScheduleSource& source,
                              const std::function<void(const ExploreCounts&)>& progress) {
  return Explorer(options, source, progress).run();
}

Result<ControlReport> recordAgain(const FoundFailure& found, const std::filesystem::path& logs) {
  ControlledRun again;
  again.launch = found.how.launch;
  again.plan = planOf(found.report);
  again.plan.entries = withoutAddresses(std::move(again.plan.entries));
  again.plan.inputs = inputsFor(again.plan, found.how.plan);
  again.strict = true;
  again.heldMegabytes = found.how.heldMegabytes;
  again.stepLimit = found.how.stepLimit;
  again.log = found.how.log;
  again.recordTo = logs;
  Result<ControlReport> report = runControlled(again);
  if (!report) return report;
  if (report->outcome == format::ControlOutcome::diverged)
    return nothingFound(fmt::format("run {} could not be repeated: {}", found.run, report->text));
  if (report->ending != found.report.ending || report->outcome != found.report.outcome ||
      !sameEvents(*report, found.report))
    return nothingFound(fmt::format("run {} could not be repeated: it ended with {}, the repeat with {}",
                                    found.run, toText(found.report.ending), toText(report->ending)));
  return report;
}

} // namespace symbiosis
