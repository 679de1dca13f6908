#include "replay/record.h"
#include "replay/controlled_run.h"
#include "replay/keep_run.h"
#include "replay/native_runs.h"
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

Result<fs::path> findProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name)) return badInput(fmt::format("{}: no such program", name));
    return fs::path(name);
  }
  std::string_view path = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
  while (!path.empty()) {
    const size_t end = path.find(':');
    fs::path candidate = fs::path(path.substr(0, end)) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
  }
  const bool isHere = fs::exists(name);
  return badInput(
      fmt::format("{}: not found in PATH{}", name, isHere ? fmt::format("; did you mean ./{}?", name) : ""));
}

// What to do where exploration has no answer.
Error incomplete(const ExploreResult& result) {
  constexpr const char* kNatively =
      "--schedule native, which runs the program as it is and keeps the first run that fails";
  const ExploreCounts& counts = result.counts;
  switch (result.stopped) {
  case EarlyStop::interrupted: return gaveUp("incomplete: interrupted");
  case EarlyStop::stuckTwice:
    return gaveUp(
        fmt::format("incomplete: stopped after {} runs, because two were stuck at the same place. If a "
                    "library waits there, build it with symbiosis cc as well; if a thread only runs there, it may "
                    "wait for a variable that the compiler has read once and for all: make it atomic, or build "
                    "with symbiosis cc --every-access. Or try {}",
                    counts.runs, kNatively));
  case EarlyStop::alwaysGivesUp:
    return gaveUp(fmt::format("incomplete: stopped after {} runs, because every one was given up for the same "
                              "reason. Try {}",
                              counts.runs, kNatively));
  case EarlyStop::neverRepeats:
    return gaveUp(fmt::format("incomplete: stopped after {} runs, because {} failed and none of them failed again "
                              "when it was repeated: what the program gets from outside (a client, a file) is "
                              "another each time. Try {}",
                              counts.runs, counts.unrepeated, kNatively));
  case EarlyStop::oneThread:
    return gaveUp(fmt::format("incomplete: only one thread was ever seen, so there is nothing to explore. Is the "
                              "part with the threads built with symbiosis cc, and does this input reach it? If "
                              "not, try {}",
                              kNatively));
  case EarlyStop::none: break;
  }
  if (counts.unrepeated > 0)
    return gaveUp(fmt::format("incomplete: a run failed and did not fail again when it was repeated: what the "
                              "program gets from outside (a client, a file) may be another each time. Try {}",
                              kNatively));
  return gaveUp(fmt::format("incomplete: of {} runs nobody knows whether they would have failed. Try {}",
                            counts.uncounted(), kNatively));
}

// Keeps the run at once, because the next one that fails takes the place of its logs.
using KeepAndGoOn = std::function<Result<void>(const FailedRun&)>;

// Runs the program under control, each time with another schedule; the one that fails is repeated once with
// everything logged (record cheap, replay rich).
Result<std::optional<FailedRun>> exploreSchedules(const RecordingSession& session,
                                                  const LaunchOptions& launchOptions, const RecordOptions& options,
                                                  RecordObserver& observer, const KeepAndGoOn& keepAndGoOn) {
  ExploreOptions exploreOptions;
  exploreOptions.launch = launchOptions;
  exploreOptions.launch.quiet = true;
  exploreOptions.runs = options.runs - options.nativeRuns;
  exploreOptions.jobs = options.jobs;
  exploreOptions.expectedExit = options.expectedExit;
  exploreOptions.keepsGoing = options.keepsGoing;
  std::optional<FailedRun> failed;
  exploreOptions.repeat = [&](const FoundFailure& found) -> Result<void> {
    const fs::path logs = session.newLogs();
    Result<ControlReport> again = recordAgain(found, logs);
    if (!again) session.forgetRun();
    if (!again) return again.error();
    failed =
        FailedRun{logs, again->ending, options.nativeRuns + found.run, again->text, {}, found.how.heldMegabytes};
    return options.keepsGoing ? keepAndGoOn(*failed) : Result<void>();
  };
  exploreOptions.heldMegabytes = options.heldMegabytes;
  Result<ExploreResult> explored =
      explore(exploreOptions, *options.schedules, [&](const ExploreCounts& counts) { observer.explores(counts); });
  if (!explored) return explored.error();
  observer.explored(*explored);
  if (failed) return failed;
  if (explored->stopped != EarlyStop::none || explored->counts.uncounted() > 0) return incomplete(*explored);
  if (explored->mostThreads < 2) return failed;
  ControlledRun any;
  any.launch = exploreOptions.launch;
  any.strategy = format::Strategy::randomWalk;
  if (Result<bool> meet = threadsMeet(any); meet && !*meet) observer.threadsNeverMeet();
  return failed;
}

// libc has found its heap broken, and says how.
bool isAllocatorsComplaint(const format::FailureRecord& failure) {
  // What malloc.c of glibc prints, as far as it begins alike.
  static constexpr std::string_view kComplaints[] = {"double free",   "free()",       "malloc",
                                                     "realloc()",     "corrupted",    "munmap_chunk()",
                                                     "invalid chunk", "invalid size", "break adjusted"};
  if (failure.cause != format::FailureCause::signal || failure.signal != SIGABRT || *failure.exceptionType)
    return false;
  const std::string_view text = failure.what;
  return std::any_of(std::begin(kComplaints), std::end(kComplaints),
                     [&](std::string_view begin) { return text.starts_with(begin); });
}

// Natively libc notices that its heap is broken when it comes across it, which may be long after it was, and at
// the end of a thread that has closed its logs.
std::optional<format::FailureRecord> brokenHeap(const FailedRun& run) {
  std::optional<format::FailureRecord> failure = readFailure(run.logs / "failure");
  const bool isBroken = failure && !run.descendant && (failure->outsideLogs || isAllocatorsComplaint(*failure));
  return isBroken ? failure : std::nullopt;
}

// Under control, where freed blocks are held back, the misuse itself is noticed: a run in which it is found takes
// the place of the one that libc ended. Nothing: none was found.
Result<std::optional<FailedRun>> lookForMisuse(const RecordingSession& session, const LaunchOptions& launchOptions,
                                               const RecordOptions& options, const FailedRun& native,
                                               RecordObserver& observer) {
  constexpr uint64_t kMost = 200;
  ExploreOptions exploreOptions;
  exploreOptions.launch = launchOptions;
  exploreOptions.launch.quiet = true;
  exploreOptions.runs = std::min(kMost, options.runs);
  exploreOptions.jobs = options.jobs;
  exploreOptions.expectedExit = options.expectedExit;
  exploreOptions.heldMegabytes = options.heldMegabytes;
  std::optional<FailedRun> found;
  exploreOptions.repeat = [&](const FoundFailure& failure) -> Result<void> {
    std::error_code none;
    fs::remove_all(session.newLogs(), none); // of one that failed in another way
    Result<ControlReport> again = recordAgain(failure, session.newLogs());
    if (!again) return again.error();
    if (!again->failure || again->failure->misuse == format::HeapMisuse::none)
      return nothingFound("it fails in another way");
    found = FailedRun{session.newLogs(),        again->ending, native.number + failure.run, again->text, {},
                      failure.how.heldMegabytes};
    return {};
  };
  Result<ExploreResult> explored =
      explore(exploreOptions, *options.schedules, [&](const ExploreCounts& counts) { observer.explores(counts); });
  if (!explored) return explored.error();
  observer.lookedForMisuse(found.has_value(), *explored);
  return found;
}

Error nothingFailed(uint64_t runs, const RecordOptions& options) {
  return nothingFound(
      fmt::format("{} runs, and none failed ({} expected). Run more with --runs {}, make the failure "
                  "visible with an assert(), or build with symbiosis cc --every-access, if it may be "
                  "in an access that the compiler has optimised away",
                  runs, toText(Ending{EndingKind::exited, options.expectedExit}), options.runs * 10));
}

} // namespace

Result<LaunchOptions> launchFor(const RecordOptions& options) {
  Result<fs::path> program = findProgram(options.command[0]);
  if (!program) return program.error();
  LaunchOptions launch;
  launch.program = *program;
  launch.arguments = {options.command.begin() + 1, options.command.end()};
  launch.argumentZero = options.command[0];
  launch.timeoutSeconds = options.timeoutSeconds;
  launch.standardInput = options.standardInput;
  return launch;
}

// Under control, recorded at once: what is wanted is likely.
static Result<std::optional<FailedRun>> passUnderControl(const RecordingSession& session,
                                                         const LaunchOptions& launch, const RecordOptions& options,
                                                         RecordObserver& observer) {
  ExploreCounts counts;
  uint64_t roundEnd = 1; // one more than the last of the round
  for (uint64_t number = 1; number <= options.runs; ++number) {
    if (number == roundEnd) {
      const uint64_t size = options.schedules->roundFrom(number);
      if (size == 0) break;
      roundEnd = size < options.runs ? number + size : options.runs + 1;
    }
    ControlledRun how;
    how.launch = launch;
    how.launch.quiet = true;
    how.heldMegabytes = options.heldMegabytes;
    how.stepLimit = ExploreOptions().stepLimit;
    how = options.schedules->next(number, std::move(how));
    if (how.log == format::ControlLog::nothing) how.log = format::ControlLog::switches;
    how.recordTo = session.newLogs();
    Result<ControlReport> report = runControlled(how);
    if (!report) return report.error();
    const RunOutcome outcome = outcomeOf(*report, options.expectedExit);
    options.schedules->ended(number, *report, outcome);
    if (outcome == RunOutcome::passed)
      return std::optional(FailedRun{how.recordTo, report->ending, number, report->text, {}, how.heldMegabytes});
    if (InterruptWatch::wasInterrupted()) return gaveUp("incomplete: interrupted");
    counts.add(outcome);
    observer.explores(counts);
    session.forgetRun();
  }
  return std::optional<FailedRun>();
}

Result<RecordedRun> recordPassing(const RecordOptions& options, const SnapshotReader& snapshots,
                                  RecordObserver& observer) {
  const Result<LaunchOptions> launch = launchFor(options);
  if (!launch) return launch.error();
  if (!snapshots.isInstrumented(launch->program))
    return badInput(
        fmt::format("{}: not built with 'symbiosis cc', so there is nothing to record", launch->program.string()));
  Result<RecordingSession> session = RecordingSession::create(options);
  if (!session) return session.error();
  const InterruptWatch watch;
  Result<std::optional<FailedRun>> passed =
      options.schedules ? passUnderControl(*session, *launch, options, observer)
                        : passNatively(*session, *launch, options.runs, options.expectedExit, observer);
  if (!passed) return passed.error();
  if (!*passed)
    return nothingFound(fmt::format("{} runs, and none passed ({} expected)", options.runs,
                                    toText(Ending{EndingKind::exited, options.expectedExit})));
  return keepRun(**passed, *launch, options, snapshots, observer);
}

Result<RecordedRun> record(const RecordOptions& options, const SnapshotReader& snapshots,
                           RecordObserver& observer) {
  const Result<LaunchOptions> launch = launchFor(options);
  if (!launch) return launch.error();
  const LaunchOptions& launchOptions = *launch;
  const bool isItself = snapshots.isInstrumented(launchOptions.program);
  if (!isItself && options.nativeRuns == 0)
    return badInput(
        fmt::format("{}: not built with 'symbiosis cc'; schedules are explored only for a program that is "
                    "profiled directly, not for those that it starts",
                    launchOptions.program.string()));
  Result<RecordingSession> session = RecordingSession::create(options);
  if (!session) return session.error();

  const InterruptWatch watch; // what was found so far is told

  // First as it is: what fails by itself needs no help.
  const auto runAsItIs = isItself ? runNatively : runDescendants;
  Result<std::optional<FailedRun>> failed =
      runAsItIs(*session, launchOptions, options.nativeRuns, options.expectedExit, observer);
  if (!failed) return failed.error();

  // Then with schedules that plain runs hardly ever take.
  const bool explores = isItself && options.schedules && options.nativeRuns < options.runs;
  std::optional<RecordedRun> first;
  auto keepAndGoOn = [&](const FailedRun& run) -> Result<void> {
    Result<RecordedRun> kept = keepRun(run, launchOptions, options, snapshots, observer);
    if (!kept) return kept.error();
    observer.keeps(*kept);
    if (!first) first = *kept;
    session->forgetRun();
    return {};
  };
  if (!*failed && explores) {
    failed = exploreSchedules(*session, launchOptions, options, observer, keepAndGoOn);
    const bool isBroken = !failed && failed.error().kind != ErrorKind::gaveUp;
    if (first && !isBroken) return *first;
  } else if (const auto broken =
                 *failed && explores && options.heldMegabytes ? brokenHeap(**failed) : std::nullopt) {
    observer.looksForMisuse((*failed)->number, *broken);
    Result<std::optional<FailedRun>> found = lookForMisuse(*session, launchOptions, options, **failed, observer);
    if (!found || *found) failed = std::move(found);
  }
  if (!failed) return failed.error();

  if (!*failed) return nothingFailed(explores ? options.runs : options.nativeRuns, options);
  return keepRun(**failed, launchOptions, options, snapshots, observer);
}

} // namespace symbiosis
