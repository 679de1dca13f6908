#include "replay/native_runs.h"
#include "replay/session.h"
#include "replay/standstill.h"
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

Result<RecordingSession> RecordingSession::create(const RecordOptions& options) {
  std::error_code error;
  fs::create_directories(options.store, error);
  if (error) return badInput(fmt::format("{}: cannot create: {}", options.store.string(), error.message()));
  Result<OwnedDirectory> logs = OwnedDirectory::make(fs::absolute(options.store), ".session-");
  if (!logs) return logs.error();
  if (Result<void> room = checkRoom(logs->path(), format::kFirstLogs); !room) return room.error();
  Result<OwnedDirectory> directory = OwnedDirectory::make(fs::temp_directory_path(), "symbiosis-");
  if (!directory) return directory.error();
  Result<void> written =
      writeSession(directory->path(), {format::recordingMode(options.level), logs->path(), options.valueLimit});
  if (!written) return written.error();
  return RecordingSession(std::move(*logs), std::move(*directory));
}

std::pair<std::string, std::string> RecordingSession::variable() const {
  return sessionVariable(directory_.path());
}

void RecordingSession::forgetRun() const {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(logs_.path(), error))
    fs::remove_all(entry.path(), error);
}

namespace {

Error notInstrumented(const fs::path& program) {
  return badInput(
      fmt::format("{}: not built with 'symbiosis cc', and it started no program that was, so there is nothing to "
                  "record. Build with\n"
                  "  symbiosis cc -g -O1 … -o {}        or   CC=\"symbiosis cc\" CXX=\"symbiosis c++\" make\n"
                  "A script, make or ctest can be profiled, too: the programs that it starts are recorded if they "
                  "were built so",
                  program.string(), program.filename().string()));
}

// The disk was full, the program has left the recorder without memory or descriptors, or did what cannot be
// recorded.
Error incomplete(const RecordedProcess& process, const Ending& ending, uint64_t run) {
  return gaveUp(fmt::format(
      "run {} failed ({}), but the recording is incomplete: {}; nothing was kept. Remove the reason (if it "
      "is room: record less with --record path) and profile again",
      run, toText(ending), process.problem));
}

Error interrupted(uint64_t runs) {
  return gaveUp(fmt::format("incomplete: interrupted after {} native runs, none of which failed", runs));
}

bool failed(const Ending& ending, int expectedExit) { return ending != Ending{EndingKind::exited, expectedExit}; }

// The run of a process that the program started.
FailedRun runOf(const RecordedProcess& process, const Ending& ending, uint64_t run, RecordObserver& observer) {
  observer.descendantFailed(process);
  const bool hangs = ending.kind == EndingKind::timedOut && !process.saysWhy;
  return {process.logs, hangs ? ending : endingOf(process), run, {}, process, 0};
}

// It may have started, or become, another recorded program, and that is the one that failed.
bool isAnother(const RecordedProcess& process, const fs::path& program) {
  std::error_code unknown;
  return !process.executable.empty() && !fs::equivalent(process.executable, program, unknown) && !unknown;
}

} // namespace

// The first run that ends as it is wanted.
static Result<std::optional<FailedRun>> runUntil(RunOutcome wanted, const RecordingSession& session,
                                                 LaunchOptions launchOptions, uint64_t runs, int expectedExit,
                                                 RecordObserver& observer) {
  launchOptions.environment = {session.variable()};
  for (uint64_t run = 1; run <= runs; ++run) {
    observer.beginsNativeRun(run, runs);
    launchOptions.quiet = run > 1; // the first run shows what the program says
    Standstill standstill;
    bool standsStill = false;
    launchOptions.isStuck = [&](int process) { return standsStill = standstill.isReached(process); };
    Result<Ending> ending = launch(launchOptions);
    if (InterruptWatch::wasInterrupted()) return interrupted(run - 1);
    if (!ending) return ending.error();
    if (standsStill && ending->kind == EndingKind::timedOut) ending->code = Ending::kStandstill;
    if (failed(*ending, expectedExit) == (wanted == RunOutcome::failed)) {
      const std::vector<RecordedProcess> processes = session.processes();
      if (processes.empty())
        return badInput(fmt::format("{}: the run ended ({}) before anything was recorded",
                                    launchOptions.program.string(), toText(*ending)));
      const RecordedProcess& first = processes.front();
      if (!first.problem.empty()) return incomplete(first, *ending, run);
      return std::optional<FailedRun>(isAnother(first, launchOptions.program)
                                          ? runOf(first, *ending, run, observer)
                                          : FailedRun{first.logs, *ending, run, {}, {}, 0});
    }
    session.forgetRun();
  }
  return std::optional<FailedRun>();
}

Result<std::optional<FailedRun>> runNatively(const RecordingSession& session, LaunchOptions launchOptions,
                                             uint64_t runs, int expectedExit, RecordObserver& observer) {
  return runUntil(RunOutcome::failed, session, std::move(launchOptions), runs, expectedExit, observer);
}

Result<std::optional<FailedRun>> passNatively(const RecordingSession& session, LaunchOptions launchOptions,
                                              uint64_t runs, int expectedExit, RecordObserver& observer) {
  return runUntil(RunOutcome::passed, session, std::move(launchOptions), runs, expectedExit, observer);
}

Result<std::optional<FailedRun>> runDescendants(const RecordingSession& session, LaunchOptions launchOptions,
                                                uint64_t runs, int expectedExit, RecordObserver& observer) {
  launchOptions.environment = {session.variable()};
  std::set<std::string> commands;
  for (uint64_t run = 1; run <= runs; ++run) {
    observer.beginsRunOfDescendants(run, runs);
    launchOptions.quiet = run > 1;
    Result<Ending> ending = launch(launchOptions);
    if (InterruptWatch::wasInterrupted()) return interrupted(run - 1);
    if (!ending) return ending.error();
    const std::vector<RecordedProcess> processes = session.processes();
    if (processes.empty()) return notInstrumented(launchOptions.program);
    if (failed(*ending, expectedExit)) {
      const RecordedProcess& first = processes.front();
      if (!failed(first) || first.arguments.empty())
        return badInput(fmt::format("{} failed ({}), but none of the {} recorded programs that it started did; "
                                    "build the one that fails with: symbiosis cc",
                                    launchOptions.program.string(), toText(*ending), processes.size()));
      if (!first.problem.empty()) return incomplete(first, *ending, run);
      return std::optional<FailedRun>(runOf(first, *ending, run, observer));
    }
    for (const RecordedProcess& process : processes) commands.insert(commandLine(process));
    session.forgetRun();
  }
  observer.descendantsPassed(commands);
  return std::optional<FailedRun>();
}

} // namespace symbiosis
