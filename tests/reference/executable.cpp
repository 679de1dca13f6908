#include "tests/reference/executable.h"
#include "support/files.h"
#include "tests/reference/witness_plan.h"
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

TinyExecutable::TinyExecutable(const std::string& text) : program_(*parseTinyProgram(text)) {
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

LaunchOptions TinyExecutable::decidingStates() const {
  LaunchOptions options = launchOptions();
  options.arguments.emplace_back("states");
  return options;
}

Result<TinyExecutable::Run> TinyExecutable::run(const ControlledRun& how) const {
  Result<ControlReport> report = runControlled(how);
  if (!report) return report.error();
  const bool hasEnded = !report->stuck && (report->outcome == format::ControlOutcome::finished ||
                                           report->outcome == format::ControlOutcome::deadlock || report->failure);
  if (!hasEnded) return gaveUp(report->text.empty() ? "the run came to no end of its own" : report->text);
  const Result<std::string> output = readFile(how.launch.outputFile);
  if (!output) return output.error();
  return Run{outcomeOf(*report, *output), std::move(*report)};
}

Result<TinyExecutable::Run> TinyExecutable::explore(uint64_t number, uint64_t seed,
                                                    const Strategies& strategies) const {
  constexpr uint64_t kPoints = 30; // of a tiny program, more or less
  ControlledRun how;
  how.launch = launchOptions();
  how.stepLimit = ExploreOptions().stepLimit;
  how.log = format::ControlLog::switches;
  Result<Run> result = run(GuestStrategies(strategies, seed, kPoints).next(number, std::move(how)));
  if (!result) return gaveUp(fmt::format("run {} of seed {}: {}", number, seed, result.error().message));
  return result;
}

Result<std::vector<format::ControlEntry>> TinyExecutable::findBeginning() const {
  ControlledRun how;
  how.launch = launchOptions();
  how.log = format::ControlLog::everything;
  Result<Run> first = run(how);
  if (!first) return first.error();
  std::vector<format::ControlEntry> entries = first->report.log;
  std::erase_if(entries, [](const format::ControlEntry& entry) { return entry.thread != 0; });
  const auto lastFork = std::find_if(entries.rbegin(), entries.rend(), [](const format::ControlEntry& entry) {
    return entry.kind == uint8_t(EventKind::fork);
  });
  entries.erase(lastFork.base(), entries.end());
  for (format::ControlEntry& entry : entries) entry.object = 0; // the address may be another one
  return entries;
}

Result<TinyExecutable::Run> TinyExecutable::follow(const Steps& steps) {
  if (beginning_.empty()) {
    Result<std::vector<format::ControlEntry>> found = findBeginning();
    if (!found) return found.error();
    beginning_ = std::move(*found);
  }
  ControlledRun how;
  how.launch = launchOptions();
  how.plan = planFor(program_, steps, beginning_);
  Result<Run> result = run(how);
  if (!result) return gaveUp(fmt::format("along '{}': {}", toText(steps), result.error().message));
  return result;
}

} // namespace symbiosis::reference
