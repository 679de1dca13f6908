#include "replay/run_outcome.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {

RunOutcome outcomeOf(const ControlReport& report, int expectedExit) {
  switch (report.outcome) {
  case format::ControlOutcome::deadlock: return RunOutcome::failed;
  case format::ControlOutcome::diverged: return RunOutcome::diverged;
  case format::ControlOutcome::stepLimit: return RunOutcome::limited;
  case format::ControlOutcome::gaveUp: return RunOutcome::gaveUp;
  case format::ControlOutcome::running:
  case format::ControlOutcome::finished: break;
  }
  if (report.stuck || report.ending.kind == EndingKind::timedOut) return RunOutcome::stuck;
  return report.ending == Ending{EndingKind::exited, expectedExit} ? RunOutcome::passed : RunOutcome::failed;
}

namespace {

// Where the thread was last seen, as a point of the program; 0: nowhere.
uint32_t lastSite(const ControlReport& report, uint32_t thread) {
  for (auto entry = report.log.rbegin(); entry != report.log.rend(); ++entry)
    if (entry->thread == thread && entry->site) return entry->site;
  return 0;
}

// Addresses differ between runs; who waits at what does not.
std::string deadlockText(const ControlReport& report) {
  std::vector<std::string> waits;
  for (const format::ControlEntry& entry : report.waiting)
    waits.push_back(
        fmt::format("{} behind point {}", format::kindName(entry.kind), lastSite(report, entry.thread)));
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return fmt::format("deadlock: {}", fmt::join(waits, ", "));
}

} // namespace

std::string failureText(const ControlReport& report) {
  if (report.outcome == format::ControlOutcome::deadlock) return deadlockText(report);
  if (!report.failure) return toText(report.ending);
  if (report.failure->cause == format::FailureCause::assertion) return toText(*report.failure);
  const std::string text = toText(*report.failure);
  return fmt::format("{} behind point {}", text.substr(0, text.find(" at address")),
                     lastSite(report, report.failure->serial));
}

uint64_t& ExploreCounts::of(RunOutcome outcome) {
  switch (outcome) {
  case RunOutcome::passed: return passed;
  case RunOutcome::failed: return failed;
  case RunOutcome::limited: return limited;
  case RunOutcome::stuck: return stuck;
  case RunOutcome::gaveUp: return gaveUp;
  case RunOutcome::diverged: return diverged;
  case RunOutcome::unrepeated: break;
  }
  return unrepeated;
}

void ExploreCounts::add(RunOutcome outcome) {
  ++runs;
  ++of(outcome);
}

void ExploreCounts::takeBack(RunOutcome outcome) {
  --runs;
  --of(outcome);
}

} // namespace symbiosis
