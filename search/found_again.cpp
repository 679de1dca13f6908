#include "search/found_again.h"
#include "replay/explore.h"
#include "replay/portfolio.h"
#include "replay/replay.h"
#include "trace/trace_end.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <thread>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// The portfolio, for as long as there is time.
class UntilDeadline : public ScheduleSource {
public:
  explicit UntilDeadline(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}
  uint64_t roundFrom(uint64_t first) override {
    constexpr uint64_t kMost = 16; // what a round may take beyond the deadline
    return std::chrono::steady_clock::now() >= deadline_ ? 0 : std::min(kMost, source_.roundFrom(first));
  }
  ControlledRun next(uint64_t number, ControlledRun run) override { return source_.next(number, std::move(run)); }
  void ended(uint64_t number, const ControlReport& report, RunOutcome outcome) override {
    source_.ended(number, report, outcome);
  }

private:
  Portfolio source_;
  const std::chrono::steady_clock::time_point deadline_;
};

bool waits(EndingKind kind) { return kind == EndingKind::timedOut || kind == EndingKind::deadlocked; }

// What both have noted is the same check, or the same kind of crash. A crash that came of memory that was gone is
// noticed under control where it was used.
bool isSameCheck(const format::FailureRecord& a, const format::FailureRecord& b) {
  if (b.misuse != format::HeapMisuse::none && a.cause == format::FailureCause::signal) return true;
  return a.cause == b.cause && a.signal == b.signal && a.line == b.line && std::strcmp(a.file, b.file) == 0 &&
         std::strcmp(a.expression, b.expression) == 0 && std::strcmp(a.exceptionType, b.exceptionType) == 0;
}

bool failsAlike(const Recording& native, const ControlReport& report) {
  const Ending &before = native.info.ending, &now = report.ending;
  if (waits(before.kind)) return waits(now.kind);
  if (native.failure && report.failure) return isSameCheck(*native.failure, *report.failure);
  return before == now && native.failure.has_value() == report.failure.has_value();
}

bool failsAtSamePlace(const SymbolicTrace& a, const SymbolicTrace& b) {
  if (a.failure.kind != b.failure.kind) return false;
  if (!TraceEnd(a).isDecidedByValues()) return true;
  if (a.failure.location == kNone || b.failure.location == kNone) return false;
  const SourceLocation &x = a.locations[a.failure.location], &y = b.locations[b.failure.location];
  return x.file == y.file && x.line == y.line;
}

} // namespace

Result<FoundAgain> findAgain(const Recording& native, const SymbolicTrace* trace, const fs::path& directory,
                             const FindAgainOptions& options, const std::function<void(uint64_t)>& progress) {
  ExploreOptions explored;
  explored.launch = launchOf(native);
  explored.launch.quiet = true;
  explored.launch.timeoutSeconds = 20;
  explored.runs = options.mostRuns;
  explored.jobs = std::max(1u, std::thread::hardware_concurrency());
  explored.expectedExit = native.info.expectedExit;
  explored.stepLimit = 2'000'000;
  // The first that fails alike, and the first that does so at the same place.
  std::optional<LoggedRun> alike;
  std::optional<FoundAgain> found;
  auto walk = [&](const LoggedRun& run, uint64_t number) -> Result<FoundAgain> {
    Result<WalkedRun> walked = recordWalked(native, run, directory);
    if (!walked) return walked.error();
    const bool isSamePlace = trace && failsAtSamePlace(*trace, walked->trace);
    return FoundAgain{std::move(*walked), number, isSamePlace};
  };
  uint64_t first = 0;
  explored.repeat = [&](const FoundFailure& failure) -> Result<void> {
    if (!failsAlike(native, failure.report)) return nothingFound("it fails in another way");
    Result<FoundAgain> walked = walk(failure, failure.run);
    if (!walked) return nothingFound(walked.error().message);
    if (trace && !walked->isSamePlace) {
      if (!alike) alike = failure, first = failure.run;
      return nothingFound("it fails elsewhere");
    }
    found = std::move(*walked);
    return {};
  };
  UntilDeadline source(options.deadline);
  Result<ExploreResult> result = explore(explored, source, [&](const ExploreCounts& counts) {
    if (progress) progress(counts.runs);
  });
  if (!result) return result.error();
  if (found) return std::move(*found);
  if (alike) return walk(*alike, first);
  return nothingFound(
      fmt::format("none of {} schedules under control fails as the recorded run did", result->counts.runs));
}

} // namespace symbiosis
