#include "replay/explore.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace symbiosis {

const char* toText(format::Strategy strategy) {
  switch (strategy) {
  case format::Strategy::stay: return "stay";
  case format::Strategy::randomWalk: return "random";
  case format::Strategy::pct: return "pct";
  case format::Strategy::pos: return "pos";
  }
  return "?";
}

bool isFailure(const ControlReport& report, int expectedExit) {
  switch (report.outcome) {
  case format::ControlOutcome::deadlock: return true;
  case format::ControlOutcome::diverged:
  case format::ControlOutcome::stepLimit:
  case format::ControlOutcome::gaveUp: return false;
  case format::ControlOutcome::running:
  case format::ControlOutcome::finished: break;
  }
  if (report.stuck || report.ending.kind == EndingKind::timedOut) return false;
  return report.ending != Ending{EndingKind::exited, expectedExit};
}

ControlledRun explorationRun(const ExploreOptions& options, uint64_t run, uint64_t expectedPoints) {
  ControlledRun result;
  result.launch = options.launch;
  result.seed = options.seed * 0x9E3779B97F4A7C15ull + run;
  result.stepLimit = options.stepLimit;
  result.log = format::ControlLog::switches;
  result.expectedPoints = expectedPoints;
  uint64_t turn = run; // among the runs of its strategy
  switch (options.exploration) {
  case Exploration::randomWalk: result.strategy = format::Strategy::randomWalk; break;
  case Exploration::pct: result.strategy = format::Strategy::pct; break;
  case Exploration::pos: result.strategy = format::Strategy::pos; break;
  case Exploration::portfolio: {
    constexpr format::Strategy kPortfolio[] = {format::Strategy::randomWalk, format::Strategy::pct,
                                               format::Strategy::pos};
    result.strategy = kPortfolio[run % 3];
    turn = run / 3;
    break;
  }
  }
  // Short and long runs, few and many changes, in turn.
  result.meanRun = 1u << (2 * (turn % 4));
  result.depth = 2 + uint32_t(turn % 3);
  return result;
}

namespace {

class Explorer {
public:
  Explorer(const ExploreOptions& options, const std::function<void(const ExploreCounts&)>& progress)
      : options_(options), progress_(progress), last_(options.runs) {}

  Result<ExploreResult> run() {
    const auto begin = std::chrono::steady_clock::now();
    // The first run alone: its length is what the others are measured by.
    if (options_.runs > 0) tryRun(next_++);
    std::vector<std::thread> workers;
    for (unsigned job = 1; job < options_.jobs; ++job) workers.emplace_back([this] { work(); });
    work();
    for (std::thread& worker : workers) worker.join();
    if (problem_) return *problem_;
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

private:
  void work() {
    for (uint64_t number = next_++; number <= last_; number = next_++) tryRun(number);
  }

  void tryRun(uint64_t number) {
    ControlledRun run = explorationRun(options_, number, expectedPoints_);
    Result<ControlReport> report = runControlled(run);
    const std::lock_guard guard(mutex_);
    if (!report) {
      problem_ = report.error();
      last_ = 0;
      return;
    }
    if (number == 1) expectedPoints_ = report->points;
    ExploreCounts& counts = result_.counts;
    ++counts.runs;
    counts.limited += report->outcome == format::ControlOutcome::stepLimit;
    counts.stuck += report->stuck || report->ending.kind == EndingKind::timedOut;
    if (isFailure(*report, options_.expectedExit)) {
      ++counts.failed;
      if (!result_.failure || number < result_.failure->run)
        result_.failure = FoundFailure{number, std::move(run), std::move(*report)};
      // Runs with lower numbers that have begun are still finished, so that the answer does not depend on `jobs`.
      if (options_.stopAtFirstFailure && number < last_) last_ = number;
    }
    if (progress_) progress_(counts);
  }

  const ExploreOptions& options_;
  const std::function<void(const ExploreCounts&)>& progress_;
  std::atomic<uint64_t> next_ = 1, last_;
  std::mutex mutex_;
  uint64_t expectedPoints_ = 0;
  std::optional<Error> problem_;
  ExploreResult result_;
};

// The recording bodies of the functions have other stack frames, so addresses are not compared.
std::vector<format::ControlEntry> withoutAddresses(std::vector<format::ControlEntry> log) {
  for (format::ControlEntry& entry : log) entry.object = 0;
  return log;
}

bool sameEvents(const ControlReport& a, const ControlReport& b) {
  return std::equal(a.log.begin(), a.log.end(), b.log.begin(), b.log.end(),
                    [](const format::ControlEntry& x, const format::ControlEntry& y) {
                      return x.thread == y.thread && x.type == y.type && x.kind == y.kind && x.index == y.index &&
                             x.silent == y.silent && x.site == y.site && x.choice == y.choice;
                    });
}

} // namespace

Result<ExploreResult> explore(const ExploreOptions& options,
                              const std::function<void(const ExploreCounts&)>& progress) {
  return Explorer(options, progress).run();
}

Result<ControlReport> recordAgain(const FoundFailure& found, const std::filesystem::path& logs) {
  ControlledRun again;
  again.launch = found.how.launch;
  again.plan = planOf(found.report);
  again.plan.entries = withoutAddresses(std::move(again.plan.entries));
  again.strict = true;
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
