// `symbiosis replay`: run the real program along a schedule, as often as you like.
#include "cli/command.h"
#include "cli/progress.h"
#include "replay/logged_run.h"
#include "replay/replay.h"
#include "symexec/symexec.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include "trace/recording.h"
#include <fmt/format.h>
#include <map>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct ReplayCommand {
  std::string directory;
  bool failing = false, alternate = false;
  std::string schedule;
  size_t times = 1;
  bool trace = false, gdb = false;
  std::string gdbCommands;
};

// What a controlled run was granted; it needs no diagnosis.
Result<Schedule> grantedSchedule(const Recording& recording) {
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (!trace) return trace.error();
  return toSchedule(*trace, unhappenedLast(*trace, recordedOrder(*trace, recording)), recording.info.programHash);
}

Result<Schedule> chooseSchedule(const ReplayCommand& options, const Recording& recording) {
  if (!options.schedule.empty()) return loadSchedule(options.schedule);
  const fs::path file =
      recording.directory / "report" / (options.alternate ? "alternate.schedule" : "failing.schedule");
  if (fs::exists(file)) return loadSchedule(file);
  if (!options.alternate && !recording.granted.empty()) return grantedSchedule(recording);
  return badInput(
      fmt::format("{}: does not exist{}; make it with: symbiosis diagnose{}{}", file.string(),
                  options.alternate ? "" : ", and the run was native, so that its order was not recorded",
                  options.directory.empty() ? "" : " ", options.directory));
}

// Where in the source each event of the recording is, and what it works on; empty where that is not known.
class EventPlaces {
public:
  explicit EventPlaces(const Recording& recording) {
    Result<SymbolicTrace> trace = executeSymbolically(recording);
    if (!trace) return;
    for (const Event& event : trace->events) {
      if (event.location == kNone || event.synthetic) continue;
      const SourceLocation& location = trace->locations[event.location];
      places_[{trace->threads[event.id.thread].id, event.id.index}] =
          fmt::format("{}:{}  {}", fs::path(location.file).filename().string(), location.line, event.variable);
    }
  }
  std::string of(const GrantedEvent& event) const {
    const auto known = places_.find({event.thread, event.index});
    return known == places_.end() || event.silent ? std::string() : known->second;
  }

private:
  std::map<std::pair<std::string, uint64_t>, std::string> places_;
};

void printEvents(const std::vector<GrantedEvent>& events, const EventPlaces& places) {
  for (const GrantedEvent& event : events) {
    const std::string index = event.silent ? "-" : std::to_string(event.index);
    const std::string line =
        fmt::format("{:<8} {:>6}  {:<14} {}", event.thread, index, event.kind, places.of(event));
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

// What is run: a schedule, or the whole run that passes.
struct Replayed {
  Recording recording;
  std::optional<Schedule> schedule; // none: as it was recorded
  Expectation expectation = Expectation::fails;

  Result<ReplayOutcome> once(const ReplayOptions& options) const {
    return schedule ? replaySchedule(recording, *schedule, options) : repeatRecorded(recording, options);
  }
  Result<ControlledRun> plan(const ReplayOptions& options) const {
    return schedule ? runAlong(recording, *schedule, options) : runAsRecorded(recording, options);
  }
  bool isGood(const ReplayOutcome& outcome) const {
    return expectation == Expectation::fails ? outcome.result == ReplayResult::failedAsRecorded
                                             : outcome.passedFailurePoint;
  }
  const char* goodWords() const {
    if (expectation == Expectation::fails) return "failed as recorded";
    return schedule ? "passed the failure point" : "passed as recorded";
  }
};

Result<Replayed> choose(const ReplayCommand& options) {
  Result<fs::path> directory = findRecording(options.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  const Expectation expectation = options.alternate ? Expectation::passes : Expectation::fails;
  if (const fs::path whole = placeOfAlternate(*recording); options.alternate && fs::exists(whole)) {
    Result<Recording> passing = openRecording(whole);
    if (!passing) return passing.error();
    return Replayed{std::move(*passing), {}, expectation};
  }
  Result<Schedule> schedule = chooseSchedule(options, *recording);
  if (!schedule) return schedule.error();
  return Replayed{std::move(*recording), std::move(*schedule), expectation};
}

// The user's session; what the program says and does there is for the user to judge.
Result<int> debugInGdb(const Replayed& replayed, ReplayOptions replayOptions, const ReplayCommand& options) {
  replayOptions.quiet = false;
  Result<ControlledRun> run = replayed.plan(replayOptions);
  if (!run) return run.error();
  Result<std::string> problem = debug(replayed.recording, std::move(*run), {options.gdbCommands});
  if (!problem) return problem.error();
  if (!problem->empty()) fmt::print("symbiosis: {}\n", *problem);
  return 0;
}

Result<int> replay(const ReplayCommand& options) {
  Result<Replayed> replayed = choose(options);
  if (!replayed) return replayed.error();
  ReplayOptions replayOptions;
  replayOptions.expectation = replayed->expectation;
  if (options.gdb) return debugInGdb(*replayed, replayOptions, options);
  std::optional<EventPlaces> places;
  if (options.trace) places.emplace(replayed->recording);
  Progress progress;
  size_t good = 0;
  for (size_t run = 1; run <= options.times; ++run) {
    progress.show(fmt::format("replay {} of {}", run, options.times));
    replayOptions.seed = run;
    replayOptions.quiet = run > 1; // the first shows what the program says
    replayOptions.listsEvents = options.trace && run == 1;
    Result<ReplayOutcome> outcome = replayed->once(replayOptions);
    if (!outcome) return outcome.error();
    const bool ok = replayed->isGood(*outcome);
    good += ok;
    if (replayOptions.listsEvents) {
      progress.clear();
      printEvents(outcome->events, *places);
    }
    if (ok && options.times > 1) continue;
    progress.clear();
    fmt::print("symbiosis: replay {}: {}{}{}\n", run, toText(outcome->result),
               outcome->problem.empty() ? "" : ": ", outcome->problem);
  }
  progress.clear();
  fmt::print("symbiosis: {} of {} {}\n", good, options.times, replayed->goodWords());
  return good == options.times ? 0 : 1;
}

} // namespace

void addReplayCommand(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* command =
      app.add_subcommand("replay", "Run the recorded program along a schedule; the first wrong event is reported");
  command->add_option("DIR", options->directory, "Recording (default: .symbiosis/latest)");
  CLI::Option_group* which = command->add_option_group("schedule", "Which schedule");
  which->add_flag("--failing", options->failing,
                  "The failing schedule: the one that `diagnose` found, or before that the one that was recorded");
  which->add_flag("--alternate", options->alternate,
                  "The run that passes; if none was certified, the schedule that passes the check");
  which->add_option("--schedule", options->schedule, "A schedule file");
  which->require_option(1);
  CLI::Option* times = command->add_option("--times", options->times, "How often");
  times->capture_default_str()->check(CLI::PositiveNumber);
  CLI::Option* trace =
      command->add_flag("--trace", options->trace, "List what each thread did, in order, after the first run");
  CLI::Option* gdb = command->add_flag(
      "--gdb", options->gdb,
      "Run it in gdb, which stops at the failure; there `start` steps through the same run from its beginning");
  gdb->excludes(times)->excludes(trace);
  // For tests, which have no terminal: gdb does what is in the file and leaves.
  command->add_option("--gdb-commands", options->gdbCommands)->needs(gdb)->check(CLI::ExistingFile)->group("");
  command->callback([options, &exitCode] {
    Result<int> done = replay(*options);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
