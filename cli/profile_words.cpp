#include "cli/profile_words.h"
#include "cli/command.h"
#include "cli/waiting_words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {

namespace {

// "none failed" is said only of runs that have come to their end.
std::string verdictOf(const ExploreCounts& counts) {
  const uint64_t finished = counts.passed + counts.failed;
  const bool all = finished == counts.runs;
  if (counts.runs == 0) return "nothing was run to its end";
  const std::string ended = all ? "all finished" : fmt::format("{} finished", finished);
  if (counts.failed > 0) return fmt::format("{}, {} failed", ended, counts.failed);
  if (finished == 0) return "none finished";
  return fmt::format("{}, none {}failed", ended, all ? "" : "of these ");
}

const char* wordOf(RunOutcome outcome) {
  switch (outcome) {
  case RunOutcome::limited: return "cut off";
  case RunOutcome::stuck: return "stuck";
  case RunOutcome::gaveUp: return "given up";
  case RunOutcome::diverged: return "diverged";
  case RunOutcome::unrepeated: return "failed once";
  case RunOutcome::passed:
  case RunOutcome::failed: break;
  }
  return "";
}

// Each reason once, the most frequent first.
void printUncounted(const ExploreResult& result) {
  constexpr size_t kMostReasons = 8;
  std::vector<UncountedRuns> reasons = result.uncounted;
  if (reasons.empty()) return;
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.runs > b.runs; });
  fmt::print("  {} {} not counted as clean:\n", result.counts.uncounted(),
             result.counts.uncounted() == 1 ? "is" : "are");
  for (size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
    fmt::print("  {:>5} {:<12} {}\n", reasons[i].runs, wordOf(reasons[i].outcome), reasons[i].reason);
  if (reasons.size() > kMostReasons) fmt::print("        and {} other reasons\n", reasons.size() - kMostReasons);
}

} // namespace

void ProfileWords::beginsNativeRun(uint64_t run, uint64_t of) {
  progress_.show(fmt::format("native run {} of {}", run, of));
}

void ProfileWords::beginsRunOfDescendants(uint64_t run, uint64_t of) {
  progress_.show(fmt::format("run {} of {}", run, of));
}

void ProfileWords::descendantFailed(const RecordedProcess& process) {
  fmt::print("symbiosis: this program failed: {}\n", commandLine(process));
  fmt::print("symbiosis: replays run it alone, in {}, with this environment and no standard input\n",
             process.workingDirectory);
}

void ProfileWords::descendantsPassed(const std::set<std::string>& commands) {
  progress_.clear();
  fmt::print("symbiosis: schedules are explored only for a program that is profiled directly. Recorded were:\n");
  for (const std::string& command : commands) fmt::print("  symbiosis profile -- {}\n", command);
}

void ProfileWords::explores(const ExploreCounts& counts) {
  progress_.show(fmt::format("{} schedules explored, {} failed", counts.runs, counts.failed));
}

// What was not noticed because of it; empty: nothing.
static std::string holdingWords(const ExploreResult& result) {
  switch (result.holding) {
  case format::Holding::off: return "";
  case format::Holding::ownAllocator:
    return "the program has an allocator of its own: freed blocks are not held back, so that their use may go "
           "unnoticed";
  case format::Holding::noMemory:
    return "freed blocks are not held back (not enough addresses: is there a limit on virtual memory, ulimit "
           "-v?), so "
           "that their use may go unnoticed";
  case format::Holding::on: break;
  }
  if (!result.gaveBlocksBack) return "";
  return fmt::format("of freed blocks the latest {} MB ({} blocks) are held back; the use of an older one may go "
                     "unnoticed",
                     format::kHeldMegabytes, format::kMostHeldBlocks);
}

// How many runs each strategy made, and what they saw.
static void printCoverage(const PortfolioSummary& summary) {
  std::vector<std::string> parts;
  for (const StrategyRuns& each : summary.runs)
    parts.push_back(fmt::format("{} {}", toText(each.strategy), each.runs));
  fmt::print("  {}", fmt::join(parts, ", "));
  if (summary.countsDataflows)
    fmt::print("; {} different dataflows, the last new one in schedule {}", summary.dataflows, summary.lastNew);
  fmt::print("\n");
}

// If every run of a strategy fails with probability p or more, n of them all pass with (1 - p)^n at most; that is
// 1 % for the p that is told, rounded up. It holds for whoever does not adapt to what earlier runs have shown.
static void printMeaning(const PortfolioSummary& summary) {
  std::vector<std::string> parts;
  for (const StrategyRuns& each : summary.runs) {
    if (each.runs == 0 || format::rowOf(each.strategy).needs == format::Needs::allRuns) continue;
    const double share = 1 - std::pow(0.01, 1.0 / double(each.runs));
    parts.push_back(fmt::format("{} {:.1f} %", toText(each.strategy), std::ceil(share * 1000) / 10));
  }
  if (parts.empty()) return;
  fmt::print(
      "  What that means: a failure that comes in so many of a strategy's runs would have been seen with 99 %:\n"
      "  {}. A rarer one may be there.\n",
      fmt::join(parts, ", "));
}

static void printDistinct(const ExploreResult& result, const Portfolio* schedules) {
  for (const DistinctFailure& failure : result.distinct)
    fmt::print("  {:>5} of them: {}; first in schedule {}\n", failure.runs, failure.text,
               schedules ? schedules->scheduleOf(failure.firstRun) : failure.firstRun);
}

void ProfileWords::keeps(const RecordedRun& run) { kept_.push_back(run); }

void ProfileWords::explored(const ExploreResult& result) {
  progress_.clear();
  result_ = result;
  const ExploreCounts& counts = result.counts;
  fmt::print("symbiosis: explored {} schedules in {:.1f} s: {}\n", counts.runs, result.seconds, verdictOf(counts));
  if (result.aloneSince)
    fmt::print(
        "symbiosis: run {} failed beside other copies of the program, but not alone (they may share a file or "
        "a port); it and those after it were made one at a time\n",
        result.aloneSince);
  printUncounted(result);
  printDistinct(result, schedules_);
  if (schedules_) {
    const PortfolioSummary summary = schedules_->summarise();
    if (!result.failure) printCoverage(summary);
    if (!result.failure && counts.passed > 0) printMeaning(summary);
  }
  if (const std::string held = holdingWords(result); !held.empty()) fmt::print("symbiosis: {}\n", held);
  if (result.failure)
    fmt::print("symbiosis: schedule {} of seed {} fails ({}), and again when it was repeated with everything "
               "recorded\n",
               schedules_ ? schedules_->scheduleOf(result.failure->run) : result.failure->run, seed_,
               toText(result.failure->how.strategy));
  std::fflush(stdout); // before what goes to standard error
}

void ProfileWords::threadsNeverMeet() {
  fmt::print(
      "symbiosis: warning: no two threads were seen to touch the same memory or lock, so that all schedules "
      "are the same; is the part that shares data built with symbiosis cc?\n");
  std::fflush(stdout);
}

void ProfileWords::looksForMisuse(uint64_t run, const format::FailureRecord& failure) {
  progress_.clear();
  fmt::print("symbiosis: run {} failed: {} where libc noticed it; looking under control for where it happens\n",
             run, toText(failure));
  std::fflush(stdout);
}

void ProfileWords::lookedForMisuse(bool found, const ExploreResult& result) {
  if (found) return explored(result);
  progress_.clear();
  fmt::print(
      "symbiosis: {} schedules show no use of freed memory and no wrong free; the run that libc ended is kept\n",
      result.counts.runs);
  std::fflush(stdout);
}

void ProfileWords::keepsElsewhere(const Error& why) {
  fmt::print("symbiosis: {}; the recording is kept elsewhere\n", why.message);
}

static std::string describeFailure(const Recording& recording, const WaitingWords& waiting) {
  if (!waiting.failure.empty()) return waiting.failure;
  if (!recording.info.problem.empty()) return recording.info.problem;
  if (!recording.failure) return toText(recording.info.ending);
  std::string thread = "?";
  for (const ThreadLog& log : recording.threads)
    if (log.serial == recording.failure->serial) thread = log.id;
  return fmt::format("{} in thread {}", toText(*recording.failure), thread);
}

void printRecorded(const RecordedRun& run, const Recording& recording, uint64_t valueLimit) {
  const WaitingWords waiting = waitingWords(recording);
  if (hasPassed(recording))
    fmt::print("symbiosis: run {} passed: {}\n", run.number, toText(recording.info.ending));
  else
    fmt::print("symbiosis: run {} failed: {}\n", run.number, describeFailure(recording, waiting));
  if (recording.failure && recording.failure->misuse == format::HeapMisuse::useAfterDestroy)
    fmt::print("symbiosis: noticed because the program runs under control; elsewhere it may go unnoticed\n");
  else if (recording.failure && recording.failure->misuse != format::HeapMisuse::none &&
           recording.failure->index == format::kNoIndex)
    fmt::print(
        "symbiosis: noticed because what lies there looks like no lock; libc would have waited there for ever\n");
  else if (recording.failure && recording.failure->misuse != format::HeapMisuse::none)
    fmt::print(
        "symbiosis: noticed because freed blocks are held back (at most {} MB, {} blocks); elsewhere it may go "
        "unnoticed\n",
        recording.info.heldMegabytes, format::kMostHeldBlocks);
  for (const std::string& wait : waiting.waits) fmt::print("symbiosis:   {}\n", wait);
  fmt::print("symbiosis: recorded {} threads at level {}, {:.1f} kB in {}\n", recording.threads.size(),
             format::levelName(recording.info.level), double(recording.info.logBytes) / 1000,
             run.directory.string());
  if (recording.forked)
    fmt::print("symbiosis: the program forked {} time{}; its children are not recorded\n", recording.forked,
               recording.forked == 1 ? "" : "s");
  for (const ThreadLog& thread : recording.threads)
    if (thread.valuesDropped)
      fmt::print("symbiosis: thread {}: the values past the limit of {} MB were dropped, its path is complete; "
                 "record less with --record {}, or more with --value-limit\n",
                 thread.id, valueLimit, recording.info.level == format::Level::full ? "addresses" : "path");
  hintAtDebugInformation(recording.sources);
  fmt::print("symbiosis: next: symbiosis {}{}\n", hasPassed(recording) ? "predict" : "diagnose",
             run.isLatest ? "" : " " + run.directory.string());
}

} // namespace symbiosis
