#include "replay/replay.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace symbiosis {

const char* toText(ReplayResult result) {
  switch (result) {
  case ReplayResult::failedAsRecorded: return "failed as recorded";
  case ReplayResult::failedOtherwise: return "failed otherwise";
  case ReplayResult::finished: return "finished";
  case ReplayResult::diverged: return "diverged";
  case ReplayResult::deadlocked: return "deadlocked";
  case ReplayResult::stuck: return "stuck";
  }
  return "?";
}

namespace {

std::string failingThread(const Recording& recording) {
  for (const ThreadLog& thread : recording.threads)
    if (recording.failure && thread.serial == recording.failure->serial) return thread.id;
  return {};
}

bool endedBySignal(const Recording& recording) {
  return recording.failure && recording.failure->cause == format::FailureCause::signal;
}

bool misusedHeap(const Recording& recording) {
  return recording.failure && recording.failure->misuse != format::HeapMisuse::none;
}

// Behind a use that has found its block alive the block must not go at once: there may be another use.
void leaveRestOpen(Plan& plan) {
  const auto pass = std::find_if(plan.entries.begin(), plan.entries.end(), [](const format::ControlEntry& entry) {
    return entry.type == format::EntryType::pass;
  });
  if (pass != plan.entries.end()) plan.entries.erase(pass + 1, plan.entries.end());
}

// How many points the failing thread passes until it is over.
std::optional<uint64_t> failureIndex(const Schedule& schedule) {
  for (const ScheduleEntry& entry : schedule.entries)
    if (entry.kind == EventKind::failure) return entry.index + entry.choice;
  return std::nullopt;
}

// The schedule's own: threads may be alike, and `simplify` lets another one fail.
std::string failingThread(const Recording& recording, const Schedule& schedule) {
  for (const ScheduleEntry& entry : schedule.entries)
    if (entry.kind == EventKind::failure) return entry.thread;
  return failingThread(recording);
}

// Same kind of failure, in the thread that the schedule names, at the same place.
bool sameFailure(const Recording& recording, const Schedule& schedule, const ControlReport& report) {
  if (recording.failure.has_value() != report.failure.has_value()) return false;
  if (!recording.failure) return report.ending == recording.info.ending;
  const format::FailureRecord &expected = *recording.failure, &actual = *report.failure;
  if (expected.cause != actual.cause ||
      threadIds(report.threads)[actual.serial] != failingThread(recording, schedule))
    return false;
  if (expected.cause == format::FailureCause::signal)
    return expected.signal == actual.signal && expected.misuse == actual.misuse &&
           actual.index == failureIndex(schedule) &&
           std::strcmp(expected.exceptionType, actual.exceptionType) == 0;
  return expected.line == actual.line && std::strcmp(expected.file, actual.file) == 0;
}

// The thread whose exit ended the process with the wrong status: the one that exited last.
std::string exitThread(const Recording& recording) {
  const Ending& ending = recording.info.ending;
  if (recording.failure || ending.kind != EndingKind::exited || ending.code == recording.info.expectedExit)
    return {};
  std::string last;
  uint64_t when = 0;
  for (const ThreadLog& thread : recording.threads)
    for (const format::OpRecord& op : thread.ops)
      if (op.kind == uint8_t(EventKind::exit) && op.timestamp >= when) {
        when = op.timestamp;
        last = thread.id;
      }
  return last;
}

// All who waited for ever wait again, at the same operations. Within a wait, the wake and the lock are one.
bool waitsAsRecorded(const Schedule& schedule, const ControlReport& report) {
  const std::vector<std::string> ids = threadIds(report.threads);
  size_t waits = 0;
  for (const ScheduleEntry& entry : schedule.entries) {
    if (!waitsForEver(entry)) continue;
    ++waits;
    const bool found = std::any_of(report.waiting.begin(), report.waiting.end(), [&](const auto& waiting) {
      const uint64_t last = entry.kind == EventKind::wake ? entry.index + 1 : entry.index;
      return waiting.thread < ids.size() && ids[waiting.thread] == entry.thread && waiting.index >= entry.index &&
             waiting.index <= last && !(waiting.kind & format::kSilentBit);
    });
    if (!found) return false;
  }
  return waits > 0;
}

bool isFailure(const Recording& recording, const ControlReport& report) {
  return report.failure || report.ending.kind != EndingKind::exited ||
         report.ending.code != recording.info.expectedExit;
}

ReplayResult judge(const Recording& recording, const Schedule& schedule, const ControlReport& report) {
  switch (report.outcome) {
  case format::ControlOutcome::diverged: return ReplayResult::diverged;
  case format::ControlOutcome::deadlock:
    return waitsAsRecorded(schedule, report) ? ReplayResult::failedAsRecorded : ReplayResult::deadlocked;
  case format::ControlOutcome::stepLimit:
  case format::ControlOutcome::gaveUp: return ReplayResult::stuck;
  case format::ControlOutcome::running:
  case format::ControlOutcome::finished: break;
  }
  if (report.stuck || report.ending.kind == EndingKind::timedOut) return ReplayResult::stuck;
  if (!isFailure(recording, report)) return ReplayResult::finished;
  return sameFailure(recording, schedule, report) ? ReplayResult::failedAsRecorded : ReplayResult::failedOtherwise;
}

// A program that simply ends before its schedule does has diverged, too.
void noticeEarlyEnd(const Plan& plan, const ControlReport& report, ReplayOutcome& outcome) {
  const bool failed = outcome.result == ReplayResult::failedAsRecorded;
  if (report.consumed >= plan.entries.size() || failed || outcome.passedFailurePoint || outcome.continuedElsewhere)
    return;
  if (outcome.result != ReplayResult::finished && outcome.result != ReplayResult::failedOtherwise) return;
  outcome.result = ReplayResult::diverged;
  const format::ControlEntry& next = plan.entries[report.consumed];
  outcome.problem =
      fmt::format("schedule entry {} of {}: expected thread {} to {} (event {}), but the program ended: {}",
                  report.consumed + 1, plan.entries.size(), threadIds(plan.threads)[next.thread],
                  toText(EventKind(next.kind)), next.index, toText(report.ending));
}

std::vector<ThreadInputs> inputsOf(const Recording& recording, const std::vector<std::string>& ids) {
  std::vector<ThreadInputs> inputs(ids.size());
  for (size_t slot = 0; slot < ids.size(); ++slot)
    for (const ThreadLog& thread : recording.threads)
      if (thread.id == ids[slot])
        for (const format::OpRecord& record : thread.ops)
          if (EventKind(record.kind) == EventKind::input)
            (record.object ? inputs[slot].waits : inputs[slot].values).push_back(record.argument);
  return inputs;
}

std::vector<GrantedEvent> grantedEvents(const ControlReport& report) {
  const std::vector<std::string> ids = threadIds(report.threads);
  std::vector<GrantedEvent> events;
  for (const format::ControlEntry& entry : report.log) {
    const bool silent = (entry.kind & format::kSilentBit) != 0;
    events.push_back(
        {entry.thread < ids.size() ? ids[entry.thread] : "?", entry.index, format::kindName(entry.kind), silent});
  }
  return events;
}

} // namespace

LaunchOptions launchOf(const Recording& recording) {
  LaunchOptions launch;
  launch.program = std::filesystem::absolute(recording.program());
  launch.argumentZero = recording.info.program;
  launch.arguments = recording.info.arguments;
  launch.standardInput = recording.info.standardInput;
  if (std::filesystem::is_directory(recording.info.workingDirectory))
    launch.workingDirectory = recording.info.workingDirectory;
  return launch;
}

Result<void> checkProgram(const Recording& recording, const Schedule& schedule) {
  if (schedule.program.empty() || schedule.program == recording.info.programHash) return {};
  return badInput(fmt::format("the schedule belongs to another program ({}), not to that of {} ({})",
                              schedule.program, recording.directory.string(), recording.info.programHash));
}

ControlledRun runOf(const Recording& recording, Plan plan, const ReplayOptions& options) {
  ControlledRun run;
  run.plan = std::move(plan);
  run.plan.inputs = inputsOf(recording, threadIds(run.plan.threads));
  run.launch = launchOf(recording);
  run.launch.timeoutSeconds = options.timeoutSeconds;
  run.launch.quiet = options.quiet;
  run.launch.outputFile = options.outputFile;
  run.launch.errorFile = options.errorFile;
  run.heldMegabytes = recording.info.heldMegabytes;
  run.stallSeconds = options.stallSeconds;
  run.strategy = format::Strategy::randomWalk;
  run.seed = options.seed;
  run.log = options.listsEvents ? format::ControlLog::everything : format::ControlLog::nothing;
  return run;
}

Plan planAsRecorded(const Recording& recording) {
  Plan plan;
  plan.entries = withoutAddresses(recording.granted);
  for (const ThreadLog& thread : recording.threads) {
    if (thread.serial >= plan.threads.size()) plan.threads.resize(thread.serial + 1);
    plan.threads[thread.serial] = {thread.parentSerial, thread.ordinal};
  }
  for (const format::ControlEntry& entry : plan.entries) // whoever left no log has done nothing
    if (entry.thread >= plan.threads.size()) plan.threads.resize(entry.thread + 1);
  return plan;
}

Result<ControlledRun> runAlong(const Recording& recording, const Schedule& schedule,
                               const ReplayOptions& options) {
  if (Result<void> fits = checkProgram(recording, schedule); !fits) return fits.error();
  Result<Plan> plan = planOf(schedule, options.expectation, {exitThread(recording), endedBySignal(recording)});
  if (!plan) return plan.error();
  if (misusedHeap(recording)) leaveRestOpen(*plan);
  return runOf(recording, std::move(*plan), options);
}

Result<ControlledRun> runAsRecorded(const Recording& recording, const ReplayOptions& options) {
  if (recording.granted.empty())
    return badInput(
        fmt::format("{}: the run was native, so that its order was not recorded", recording.directory.string()));
  ControlledRun run = runOf(recording, planAsRecorded(recording), options);
  run.strict = true;
  return run;
}

ReplayOutcome outcomeAlong(const Recording& recording, const Schedule& schedule, const ControlledRun& run,
                           const ControlReport& report) {
  ReplayOutcome outcome;
  outcome.ending = report.ending;
  outcome.result = judge(recording, schedule, report);
  // A wrong exit status is the end of the process, so that only a right one is past it.
  outcome.passedFailurePoint =
      exitThread(recording).empty() ? report.passedFailure : outcome.result == ReplayResult::finished;
  outcome.continuedElsewhere = report.continuedElsewhere;
  outcome.problem = report.text;
  outcome.steps = report.steps;
  outcome.points = report.points;
  outcome.switches = report.switches;
  if (outcome.result == ReplayResult::stuck && outcome.problem.empty()) outcome.problem = toText(report.ending);
  noticeEarlyEnd(run.plan, report, outcome);
  outcome.events = grantedEvents(report);
  return outcome;
}

Result<ReplayOutcome> replaySchedule(const Recording& recording, const Schedule& schedule,
                                     const ReplayOptions& options) {
  Result<ControlledRun> run = runAlong(recording, schedule, options);
  if (!run) return run.error();
  Result<ControlReport> report = runControlled(*run);
  if (!report) return report.error();
  return outcomeAlong(recording, schedule, *run, *report);
}

Result<ReplayOutcome> repeatRecorded(const Recording& recording, const ReplayOptions& options) {
  Result<ControlledRun> run = runAsRecorded(recording, options);
  if (!run) return run.error();
  Result<ControlReport> report = runControlled(*run);
  if (!report) return report.error();
  ReplayOutcome outcome = outcomeAlong(recording, {}, *run, *report);
  // There is no check to get past but its end.
  outcome.passedFailurePoint = outcome.result == ReplayResult::finished;
  return outcome;
}

Result<std::string> debug(const Recording& recording, ControlledRun run, Debugger debugger) {
  debugger.stopsAtExit = !exitThread(recording).empty();
  run.debugger = std::move(debugger);
  Result<ControlReport> report = runControlled(run);
  if (!report) return report.error();
  return report->text;
}

} // namespace symbiosis
