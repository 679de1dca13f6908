#include "search/recorded_runs.h"
#include "replay/replay.h"
#include "support/owned_directory.h"
#include "symexec/symexec.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

Schedule scheduleOf(const ControlReport& report, const std::string& program) {
  const std::vector<std::string> ids = threadIds(report.threads);
  Schedule schedule{.program = program, .entries = {}};
  for (const format::ControlEntry& entry : report.log)
    if (entry.thread < ids.size() && !(entry.kind & format::kSilentBit) && entry.kind != format::kFence)
      schedule.entries.push_back(
          {.thread = ids[entry.thread], .index = entry.index, .kind = EventKind(entry.kind), .object = "-"});
  for (const format::ControlEntry& entry : report.waiting)
    if (entry.thread < ids.size() && !(entry.kind & format::kSilentBit))
      schedule.entries.push_back({.thread = ids[entry.thread],
                                  .index = entry.index,
                                  .kind = EventKind(entry.kind),
                                  .object = "-",
                                  .choice = kPendingOperation});
  if (report.failure && report.failure->cause == format::FailureCause::signal)
    schedule.entries.push_back({.thread = ids[report.failure->serial],
                                .index = report.failure->index,
                                .kind = EventKind::failure,
                                .object = "-"});
  return schedule;
}

static Result<WalkedRun> walk(Recording recording, RunOutcome outcome) {
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (!trace) return trace.error();
  WalkedRun result{std::move(recording), std::move(*trace), {}};
  result.order = recordedOrder(result.trace, result.recording);
  if (outcome != RunOutcome::failed) return result;
  result.order = unhappenedLast(result.trace, std::move(result.order));
  if (Evaluator(result.trace).run(result.order).outcome != Outcome::failing)
    return nothingFound("the failing run, recorded again, is not explained by the order in which it ran");
  return result;
}

Result<WalkedRun> recordWalked(const Recording& recording, ControlledRun run, RunOutcome wanted,
                               const fs::path& directory) {
  Result<OwnedDirectory> logs = OwnedDirectory::make(fs::temp_directory_path(), "symbiosis-again-");
  if (!logs) return logs.error();
  run.recordTo = logs->path() / "logs";
  run.log = format::ControlLog::switches;
  Result<ControlReport> report = runControlled(run);
  if (!report) return report.error();
  if (outcomeOf(*report, recording.info.expectedExit) != wanted)
    return nothingFound(fmt::format("the {} schedule did not {} when it was run again: {}",
                                    wanted == RunOutcome::failed ? "failing" : "passing",
                                    wanted == RunOutcome::failed ? "fail" : "pass",
                                    report->text.empty() ? toText(report->ending) : report->text));
  Result<Recording> kept = keepBeside(recording, {run, std::move(*report)}, logs->path() / "logs", directory);
  if (!kept) return kept.error();
  return walk(std::move(*kept), wanted);
}

Result<WalkedRun> recordWalked(const Recording& recording, const LoggedRun& failed, const fs::path& directory) {
  Result<Recording> kept = recordBeside(recording, failed, directory);
  if (!kept) return kept.error();
  return walk(std::move(*kept), RunOutcome::failed);
}

Result<WalkedRun> recordFailing(const Recording& recording, const Schedule& schedule, const fs::path& directory) {
  Result<ControlledRun> run = runAlong(recording, schedule, {});
  if (!run) return run.error();
  return recordWalked(recording, std::move(*run), RunOutcome::failed, directory);
}

} // namespace symbiosis
