#include "replay/controlled_run.h"
#include "replay/session.h"
#include "replay/supervisor.h"
#include "support/files.h"
#include "support/owned_directory.h"
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

template <typename T> std::string_view bytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <typename T> void appendAll(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// The orders of a process that is controlled, beside the session's `config`.
Result<void> writeOrders(const fs::path& session, const ControlledRun& run) {
  format::ControlConfig control = {};
  std::memcpy(control.magic, format::kControlMagic, sizeof control.magic);
  control.version = format::kFormatVersion;
  control.strategy = run.strategy;
  control.seed = run.seed;
  control.stepLimit = run.stepLimit;
  control.threads = uint32_t(run.plan.threads.size());
  control.entries = run.plan.entries.size();
  control.log = run.log;
  control.meanRun = run.parameters.meanRun;
  control.strict = run.strict;
  control.depth = run.parameters.depth;
  control.heldMegabytes = run.heldMegabytes;
  control.held = run.parameters.held;
  control.expectedPoints = run.expectedPoints;
  control.expectations = uint32_t(run.lessons.threads.size());
  control.contended = uint32_t(run.lessons.contended.size());
  control.selected = uint32_t(run.lessons.selected.size());
  control.steps = uint32_t(run.lessons.steps.size());
  control.noticing = run.noticing;
  std::string inputs;
  for (const ThreadInputs& thread : run.plan.inputs) {
    inputs += bytesOf(uint64_t{thread.values.size()});
    appendAll(inputs, thread.values);
    inputs += bytesOf(uint64_t{thread.waits.size()});
    appendAll(inputs, thread.waits);
  }
  if (!inputs.empty())
    if (Result<void> written = writeFileAtomically(session / "inputs", inputs); !written) return written;
  std::string bytes(bytesOf(control));
  appendAll(bytes, run.plan.threads);
  appendAll(bytes, run.plan.entries);
  appendAll(bytes, run.lessons.threads);
  appendAll(bytes, run.lessons.contended);
  appendAll(bytes, run.lessons.selected);
  appendAll(bytes, run.lessons.steps);
  return writeFileAtomically(session / "control", bytes);
}

// Where a run's orders and its status go. Most of what a small run costs is files, so they are in memory if they
// are small and there is room; who has said where temporary files go is not overruled. The name has the same
// length in every run, because the environment lies on the program's stack.
Result<OwnedDirectory> makeSession(const ControlledRun& run) {
  constexpr const char *kMemory = "/dev/shm", *kDisk = "/tmp";
  if (!run.place.empty())
    return OwnedDirectory::make(run.place, run.place == kMemory ? "symbiosis-" : "symbiosis-run-");
  const bool isRecorded = !run.recordTo.empty();
  constexpr uintmax_t kRoom = 64'000'000;
  const fs::path disk = fs::temp_directory_path();
  std::error_code error;
  const bool inMemory = !isRecorded && disk == kDisk && ::access(kMemory, W_OK | X_OK) == 0 &&
                        fs::space(kMemory, error).available > kRoom && !error;
  return inMemory ? OwnedDirectory::make(kMemory, "symbiosis-") : OwnedDirectory::make(disk, "symbiosis-run-");
}

// The directory of the process that was started; in a debugger, which may start it again, of the last one.
std::optional<fs::path> processDirectory(const fs::path& logs) {
  std::error_code error;
  std::optional<fs::path> newest;
  fs::file_time_type when;
  for (const fs::directory_entry& entry : fs::directory_iterator(logs, error)) {
    const fs::file_time_type written = fs::last_write_time(entry.path() / "control", error);
    if (error || (newest && written <= when)) continue;
    newest = entry.path();
    when = written;
  }
  return newest;
}

void readLog(const fs::path& file, uint64_t count, std::vector<format::ControlEntry>& log) {
  Result<std::string> bytes = readFile(file);
  if (!bytes) return;
  log.resize(std::min<uint64_t>(count, bytes->size() / sizeof(format::ControlEntry)));
  if (!log.empty()) std::memcpy(log.data(), bytes->data(), log.size() * sizeof log[0]);
}

std::vector<uint32_t> readNoticed(const fs::path& file) {
  Result<std::string> bytes = readFile(file);
  format::NoticedPlaces noticed = {};
  if (!bytes || bytes->size() != sizeof noticed) return {};
  std::memcpy(&noticed, bytes->data(), sizeof noticed);
  return {noticed.places, noticed.places + std::min(noticed.count, format::kMostNoticedPlaces)};
}

// What was granted is cut to its length; the status page has served its purpose.
Result<void> keepLogs(const fs::path& from, const fs::path& to, uint64_t granted) {
  std::error_code error;
  fs::create_directories(to, error);
  for (const fs::directory_entry& log : fs::directory_iterator(from, error)) {
    if (log.path().filename() == "control") continue;
    if (Result<void> copied = copyFile(log.path(), to / log.path().filename()); !copied) return copied;
  }
  if (fs::exists(to / "schedule")) fs::resize_file(to / "schedule", granted * sizeof(format::ControlEntry), error);
  if (error) return badInput(fmt::format("{}: cannot keep the schedule: {}", to.string(), error.message()));
  return {};
}

} // namespace

std::optional<format::FailureRecord> readFailure(const fs::path& file) {
  Result<std::string> bytes = readFile(file);
  format::FailureRecord record;
  if (!bytes || bytes->size() != sizeof record) return std::nullopt;
  std::memcpy(&record, bytes->data(), sizeof record);
  closeTexts(record);
  return record;
}

Result<ControlReport> runControlled(const ControlledRun& run) {
  Result<OwnedDirectory> owned = makeSession(run);
  if (!owned) return owned.error();
  Result<OwnedDirectory> temporary = OwnedDirectory::make(fs::temp_directory_path(), "symbiosis-tmp-");
  if (!temporary) return temporary.error();
  const fs::path& session = owned->path();
  const fs::path logs = session / "logs";
  std::error_code error;
  fs::create_directory(logs, error);
  const format::Mode mode = run.recordTo.empty() ? format::Mode::control : format::Mode::controlFull;
  if (Result<void> written = writeSession(session, {mode, logs}); !written) return written.error();
  if (Result<void> written = writeOrders(session, run); !written) return written.error();

  Supervisor supervisor(logs, run.stallSeconds);
  LaunchOptions launchOptions = run.launch;
  launchOptions.environment.emplace_back("TMPDIR", temporary->path().string());
  launchOptions.environment.push_back(sessionVariable(session));
  launchOptions.fixedAddresses = true;
  launchOptions.isStuck = [&](int process) { return supervisor.isStuck(process); };
  if (run.debugger) {
    Result<LaunchOptions> debugged = underDebugger(launchOptions, *run.debugger, session);
    if (!debugged) return debugged.error();
    launchOptions = std::move(*debugged);
  }
  Result<Ending> ending = launch(launchOptions);
  if (!ending) return ending.error();

  const std::optional<fs::path> directory = processDirectory(logs);
  const std::optional<format::ControlStatus> status =
      directory ? readStatus(*directory / "control") : std::nullopt;
  if (!status) {
    if (Result<void> room = checkRoom(session, format::kFirstLogs); !room) return room.error();
    return badInput(fmt::format("{}: did not come under control ({}); build it with: symbiosis cc",
                                run.launch.program.string(), toText(*ending)));
  }
  ControlReport report;
  const bool deadlocked = status->outcome == format::ControlOutcome::deadlock;
  report.ending = deadlocked ? Ending{EndingKind::deadlocked, 0} : *ending;
  report.outcome = status->outcome;
  report.text = status->text;
  report.stuck = !supervisor.verdict().empty();
  if (report.stuck) report.text = supervisor.verdict();
  report.steps = status->steps;
  report.points = status->points;
  report.switches = status->switches;
  report.consumed = status->consumed;
  report.holding = status->holding;
  report.givenBack = status->givenBack;
  report.passedFailure = status->passedFailure != 0;
  report.continuedElsewhere = status->continuedElsewhere != 0;
  report.threads.assign(status->table, status->table + std::min(status->threads, format::kMostControlledThreads));
  report.waiting.assign(status->waiting, status->waiting + std::min(status->waits, format::kMostReportedWaits));
  const std::vector<std::string> ids = threadIds(report.threads);
  if (status->holder < ids.size()) report.lastThread = ids[status->holder];
  report.lastIndex = status->holderIndex;
  readLog(*directory / "schedule", status->logged, report.log);
  if (run.noticing == format::Noticing::learning) report.noticed = readNoticed(*directory / "places");
  report.failure = readFailure(*directory / "failure");
  if (!run.recordTo.empty())
    if (Result<void> kept = keepLogs(*directory, run.recordTo, report.log.size()); !kept) return kept.error();
  return report;
}

Plan planOf(const ControlReport& report) {
  Plan plan{report.threads, report.log};
  // The peer of a join is named by its serial, which the runtime does not compare.
  for (format::ControlEntry& entry : plan.entries)
    if (entry.kind == uint8_t(EventKind::join)) entry.object = 0;
  return plan;
}

} // namespace symbiosis
