// `symbiosis simplify`: a failing schedule with fewer context switches (search/simplify.h).
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/simplify_words.h"
#include "dsp/failing_schedule.h"
#include "replay/replay.h"
#include "support/files.h"
#include "symexec/symexec.h"
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct SimplifyCommand {
  std::string directory;
  std::string schedule;
  std::string method = "auto";
  SimplifyOptions options;
};

SimplifyMethod methodNamed(const std::string& name) {
  return name == "static"     ? SimplifyMethod::merge
         : name == "evaluate" ? SimplifyMethod::evaluate
         : name == "execute"  ? SimplifyMethod::execute
                              : SimplifyMethod::automatic;
}

// The given schedule, and the order of the trace that it is. One that leaves the recorded path can only be
// executed.
Result<FailingStart> givenStart(FailingStart start, const Recording& recording, const SimplifyCommand& command) {
  Result<Schedule> schedule = loadSchedule(command.schedule);
  if (!schedule) return schedule.error();
  if (Result<void> fits = checkProgram(recording, *schedule); !fits) return fits.error();
  start.schedule = std::move(*schedule);
  if (!start.traced.trace) return start;
  const SymbolicTrace& trace = *start.traced.trace;
  Result<EventOrder> order = toOrder(trace, *start.schedule);
  if (!order) {
    start.whyUntraced = fmt::format("{} leaves the recorded path: {}", command.schedule, order.error().message);
    start.traced = {};
    return start;
  }
  const Evaluation evaluation = Evaluator(trace).explain(*order);
  if (evaluation.outcome != Outcome::failing)
    return badInput(fmt::format("{}: not a failing schedule of this recording ({}{}{})", command.schedule,
                                toText(evaluation.outcome), evaluation.reason.empty() ? "" : ": ",
                                evaluation.reason));
  start.traced.order = std::move(*order);
  return start;
}

// What is simplified: the given schedule; the order of a controlled run; of a native one, an order that is solved
// for.
Result<FailingStart> beginning(const Recording& recording, const SimplifyCommand& command) {
  if (hasPassed(recording))
    return badInput(
        fmt::format("{}: the recorded run passed: there is no failing schedule. Record one that fails with: "
                    "symbiosis profile",
                    recording.directory.string()));
  FailingStart start;
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (trace)
    start.traced.trace = std::make_shared<SymbolicTrace>(std::move(*trace));
  else
    start.whyUntraced = trace.error().message;
  if (!command.schedule.empty()) return givenStart(std::move(start), recording, command);
  if (!start.traced.trace) return start;
  FailingOptions wanted;
  wanted.order = recording.granted.empty() ? WantedOrder::solved : WantedOrder::recorded;
  wanted.reduces = false;
  SolverOptions solver;
  solver.limits.seconds = command.options.seconds;
  Result<FailingSchedule> failing = findFailingSchedule(*start.traced.trace, recording, solver, wanted);
  if (!failing) return failing.error();
  start.traced.order = std::move(failing->order);
  return start;
}

// Without a trace only runs can tell, and of a native run nobody knows the order.
Result<void> checkMethod(const FailingStart& start, const Recording& recording, SimplifyMethod method) {
  if (start.traced.trace) return {};
  if (method == SimplifyMethod::merge || method == SimplifyMethod::evaluate)
    return gaveUp(start.whyUntraced + "; --method execute needs no trace");
  if (!start.schedule && recording.granted.empty())
    return gaveUp(start.whyUntraced +
                  "; and the run was native, so that its order was not recorded. Record it with: "
                  "symbiosis profile --schedule portfolio");
  return {};
}

Result<int> simplify(const SimplifyCommand& command) {
  Result<fs::path> directory = findRecording(command.directory);
  if (!directory) return directory.error();
  Result<Recording> recording = openRecording(*directory);
  if (!recording) return recording.error();
  Progress progress;
  progress.show("following the recorded paths");
  Result<FailingStart> start = beginning(*recording, command);
  if (!start) return start.error();
  SimplifyOptions options = command.options;
  options.method = methodNamed(command.method);
  if (Result<void> possible = checkMethod(*start, *recording, options.method); !possible) return possible.error();
  const bool executes = options.method == SimplifyMethod::execute || options.method == SimplifyMethod::automatic;
  if (executes && options.mostRuns > 0)
    fmt::print("symbiosis: at most {} runs of {}, {} seconds\n", options.mostRuns, recording->info.program,
               options.seconds);
  std::fflush(stdout);
  Result<Simplified> result =
      simplify(*recording, *start, options, [&](SimplifyMethod method, size_t runs, size_t switches) {
        if (method == SimplifyMethod::automatic)
          progress.show(fmt::format("replay {} of {}", runs, options.replays));
        else
          progress.show(fmt::format("simplifying: {}, {} switches left, run {} of at most {}", toText(method),
                                    switches, runs, options.mostRuns));
      });
  progress.clear();
  if (!result) return result.error();
  const fs::path kept = *directory / "simplified.schedule";
  if (Result<void> written = writeFileAtomically(kept, toText(result->schedule)); !written) return written.error();
  hintAtDebugInformation(recording->sources);
  printSimplified(*result, *recording, kept.string(), command.directory);
  return result->failedAgain == result->replays ? 0 : 3;
}

} // namespace

void addSimplifyCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<SimplifyCommand>();
  CLI::App* command = app.add_subcommand(
      "simplify", "From a failing schedule to one with fewer context switches: DIR/simplified.schedule");
  command->add_option("DIR", given->directory, "Recording (default: .symbiosis/latest)");
  command
      ->add_option("--method", given->method,
                   "static: reorder what does not depend on each other; evaluate: moves that are evaluated on the "
                   "trace; execute: moves that are tried on the program; auto: one after the other")
      ->capture_default_str()
      ->check(CLI::IsMember({"static", "evaluate", "execute", "auto"}));
  command->add_option("--schedule", given->schedule, "A failing schedule of the recording, instead of its own");
  command
      ->add_option("--runs", given->options.mostRuns,
                   "At most so many runs of the program; 0: execute is left out")
      ->capture_default_str();
  command->add_option("--suffix", given->options.suffix,
                      "Execute: change only so many turns at the end of a long schedule");
  command->add_option("--time-limit", given->options.seconds, "Seconds for all of it")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--replays", given->options.replays,
                   "How often the result is replayed on the program; 0 runs nothing")
      ->capture_default_str();
  command->callback([given, &exitCode] {
    Result<int> done = simplify(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
