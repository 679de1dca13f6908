#include "tests/reference/executable.h"
#include "support/files.h"
#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace symbiosis::reference {

// Of a thread that waits for ever; null: it waits for the end of another one.
static const char* waitText(EventKind kind) {
  switch (kind) {
  case EventKind::lock: return "lock";
  case EventKind::wake: return "wait";
  case EventKind::semWait: return "take";
  case EventKind::join: return nullptr;
  default: return toText(kind);
  }
}

static Outcome deadlockOf(const ControlReport& report) {
  std::vector<std::string> waiting;
  for (const format::ControlEntry& entry : report.waiting)
    if (const char* what = waitText(EventKind(entry.kind)))
      waiting.push_back(fmt::format("T{} {}", report.threads[entry.thread].ordinal, what));
  std::sort(waiting.begin(), waiting.end());
  return {OutcomeKind::deadlock, fmt::format("deadlock: {}", fmt::join(waiting, ", "))};
}

Outcome outcomeOf(const ControlReport& report, const std::string& output) {
  if (report.outcome == format::ControlOutcome::deadlock) return deadlockOf(report);
  if (report.failure && report.failure->cause == format::FailureCause::assertion)
    return {OutcomeKind::fails, fmt::format("fails at line {}", report.failure->line)};
  if (report.ending.kind == EndingKind::signalled)
    return {OutcomeKind::undefined, fmt::format("signal {}", report.ending.code)};
  if (report.ending.code != 0) return {OutcomeKind::exits, fmt::format("exit {}", report.ending.code)};
  return {OutcomeKind::ends, output.substr(0, output.find('\n'))};
}

TinyExecutable::TinyExecutable(const std::string& text) {
  const Result<void> written = writeFileAtomically(directory_.path() / "program", text);
  assert(written && "temporary files can be written");
}

LaunchOptions TinyExecutable::launchOptions() const {
  LaunchOptions options;
  options.program = SYMBIOSIS_TINY_RUNNER;
  options.arguments = {(directory_.path() / "program").string()};
  options.outputFile = directory_.path() / "output";
  options.errorFile = "/dev/null";
  options.timeoutSeconds = 60;
  return options;
}

Result<TinyExecutable::Run> TinyExecutable::explore(uint64_t number, uint64_t seed,
                                                    const Strategies& strategies) const {
  constexpr uint64_t kPoints = 30; // of a tiny program, more or less
  ControlledRun run;
  run.launch = launchOptions();
  run.stepLimit = ExploreOptions().stepLimit;
  run.log = format::ControlLog::switches;
  Result<ControlReport> report =
      runControlled(GuestStrategies(strategies, seed, kPoints).next(number, std::move(run)));
  if (!report) return report.error();
  if (report->stuck || report->outcome == format::ControlOutcome::gaveUp)
    return gaveUp(fmt::format("run {} of seed {}: {}", number, seed, report->text));
  const Result<std::string> output = readFile(launchOptions().outputFile);
  if (!output) return output.error();
  return Run{outcomeOf(*report, *output), std::move(*report)};
}

} // namespace symbiosis::reference
