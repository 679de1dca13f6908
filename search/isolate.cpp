// Theory (Choi and Zeller 2002, §4 and §5). Both runs are lists of turns, put side by side (turn_slots.h); a
// difference is that a switch happens some points earlier or later. A schedule between the two is run on the
// program, and has one of three outcomes: it passes, it fails as the failing run does, or it is unresolved
// (another failure, a run that does not end). dd (delta_debugging.h) does the rest.
//
// The paper leaves open what happens where a thread cannot go on: its replayer dispatches the next one by a rule
// that is always the same. So does ours (EntryType::turn): every list of turns is a run, always the same.
//
// Where only one of the runs is known, its switches are moved at random, a little at first, then more and more,
// until the outcome is another (§5). In the end the run in which nobody is preempted is tried as well.
#include "search/isolate.h"
#include "search/oracle.h"
#include "search/turn_slots.h"
#include "support/files.h"
#include "support/owned_directory.h"
#include <fmt/format.h>
#include <map>
#include <random>

namespace symbiosis {
namespace {

const char* toText(TestOutcome outcome) {
  return outcome == TestOutcome::pass ? "passes" : outcome == TestOutcome::fail ? "fails" : "is unresolved";
}

std::string howItEnded(const ControlReport& report) {
  return report.text.empty() ? symbiosis::toText(report.ending) : report.text;
}

class Isolation {
public:
  Isolation(const Recording& recording, const IsolateOptions& options, const IsolateProgress& progress)
      : options_(options), progress_(progress), runs_(recording, options.budget) {}

  Result<Isolated> run(const IsolateStart& start) {
    if (Result<void> ready = prepareOutput(); !ready) return ready.error();
    std::optional<Turns> turns[2];
    for (const TestOutcome wanted : {TestOutcome::fail, TestOutcome::pass})
      if (const std::optional<Plan>& plan = wanted == TestOutcome::fail ? start.failing : start.passing) {
        Result<Turns> known = follow(*plan, wanted);
        if (!known) return known.error();
        turns[wanted == TestOutcome::fail] = std::move(*known);
      }
    for (const bool fails : {false, true})
      if (!turns[fails]) {
        Result<Turns> found = perturb(*turns[!fails], fails ? TestOutcome::fail : TestOutcome::pass);
        if (!found) return found.error();
        turns[fails] = std::move(*found);
      }
    return narrow(alignTurns(*turns[0], *turns[1]));
  }

private:
  Result<void> prepareOutput() {
    if (options_.oracle.empty()) return {};
    Result<OwnedDirectory> place =
        OwnedDirectory::make(std::filesystem::temp_directory_path(), "symbiosis-output-");
    if (!place) return place.error();
    place_.emplace(std::move(*place));
    runs_.keepOutputIn(place_->path() / "output");
    return {};
  }

  Result<TestOutcome> judge(const ControlReport& report) {
    const RunOutcome outcome = runs_.outcomeOf(report);
    const bool isWhole = outcome == RunOutcome::passed || outcome == RunOutcome::failed;
    if (!isWhole) return note(report), TestOutcome::unresolved;
    if (!options_.oracle.empty()) {
      const Result<std::string> output = readFile(place_->path() / "output");
      return askOracle(options_.oracle, report.ending, output ? *output : "");
    }
    if (outcome == RunOutcome::passed) return TestOutcome::pass;
    if (!reference_ || failAlike(*reference_, report)) return TestOutcome::fail;
    return note(report), TestOutcome::unresolved;
  }
  void note(const ControlReport& report) {
    if (found_.unresolved.empty()) found_.unresolved = howItEnded(report);
  }

  // A run that is known exactly. It must do again what it did.
  Result<Turns> follow(const Plan& plan, TestOutcome wanted) {
    Result<ControlReport> report = runs_.follow(plan);
    if (!report) return report.error();
    runs_.expectLike(*report);
    const Result<TestOutcome> outcome = judge(*report);
    if (!outcome) return outcome.error();
    if (*outcome != wanted)
      return badInput(fmt::format("the {} schedule {}{}: {}", wanted == TestOutcome::fail ? "failing" : "passing",
                                  toText(*outcome), options_.oracle.empty() ? "" : ", says the oracle",
                                  howItEnded(*report)));
    if (wanted == TestOutcome::fail) reference_ = *report;
    return turnsOf(*report);
  }

  Result<TestOutcome> test(const Turns& turns, ControlReport* kept = nullptr) {
    Result<ControlReport> report = runs_.run(turns);
    if (!report) return report.error();
    const Result<TestOutcome> outcome = judge(*report);
    if (kept) *kept = std::move(*report);
    return outcome;
  }

  // Ends that are moved by a normal distribution, wider and wider.
  Turns moved(const Turns& turns, std::mt19937& random, double width) {
    std::normal_distribution<double> jitter(0, width);
    Turns result = turns;
    for (ThreadTurn& turn : result) {
      if (turn.end == kToItsEnd) continue;
      const double end = double(turn.end) + std::round(jitter(random));
      turn.end = end < 1 ? 1 : uint64_t(end);
      turn.silent = 0;
    }
    return tidied(result);
  }
  Result<Turns> perturb(const Turns& turns, TestOutcome wanted) {
    constexpr size_t kPerWidth = 8;
    found_.other = OtherRun::perturbed;
    std::mt19937 random(1);
    double width = 0.5;
    for (size_t tries = 0; !runs_.isSpent(); ++tries) {
      if (tries > 0 && tries % kPerWidth == 0) width *= 2;
      const bool isUnperturbed = tries % (4 * kPerWidth) == 4 * kPerWidth - 1;
      const Turns candidate = isUnperturbed ? Turns{turns.front()} : moved(turns, random, width);
      ControlReport report;
      const Result<TestOutcome> outcome = test(candidate, &report);
      if (!outcome) return outcome.error();
      ++found_.perturbations;
      progress_("looking for a run with the other outcome", runs_.runs(), 0, 0);
      if (*outcome != wanted) continue;
      if (wanted == TestOutcome::fail) reference_ = report;
      return turnsOf(report);
    }
    return nothingFound(fmt::format("no run near the recorded one {} in {} runs; give one with --passing",
                                    wanted == TestOutcome::pass ? "passes" : "fails", found_.perturbations));
  }

  Result<Isolated> narrow(const TurnSlots& slots) {
    found_.switchesAtFirst = switchesThatDiffer(slots.ends[0], slots.ends[1]);
    found_.stepsAtFirst = stepsBetween(slots.ends[0], slots.ends[1]);
    for (const bool fails : {false, true}) {
      const Result<TestOutcome> outcome = test(slots.turnsAt(slots.ends[fails]));
      if (!outcome) return outcome.error();
      if ((*outcome == TestOutcome::fail) != fails || *outcome == TestOutcome::unresolved)
        return gaveUp(
            fmt::format("the {} run, taken as a list of turns, {}: its choices (whom a signal wakes, what a "
                        "call outside returned) are not all in the order of its threads",
                        fails ? "failing" : "passing", toText(*outcome)));
    }
    Result<DeltaResult> delta = isolateDifference(
        slots.ends[0], slots.ends[1],
        [&](const SwitchTimes& times) -> Result<TestOutcome> {
          progress_("narrowing", runs_.runs(), found_.switchesAtFirst, found_.stepsAtFirst);
          return testOnce(slots.turnsAt(times));
        },
        [&] { return !runs_.isSpent(); });
    if (!delta) return delta.error();
    found_.delta = std::move(*delta);
    found_.slots = slots.threads;
    for (const bool fails : {false, true}) {
      IsolatedRun& run = fails ? found_.failing : found_.passing;
      run.turns = slots.turnsAt(fails ? found_.delta.failing : found_.delta.passing);
      const Result<TestOutcome> outcome = test(run.turns, &run.report);
      if (!outcome) return outcome.error();
    }
    found_.runs = runs_.runs();
    found_.seconds = runs_.seconds();
    return std::move(found_);
  }
  // Different ends may be the same turns: then the outcome is known without a run.
  Result<TestOutcome> testOnce(const Turns& turns) {
    std::string key;
    for (const ThreadTurn& turn : turns) key += fmt::format("{} {} {};", turn.thread, turn.end, turn.silent);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Result<TestOutcome> outcome = test(turns);
    if (outcome) known_[key] = *outcome;
    return outcome;
  }

  const IsolateOptions& options_;
  const IsolateProgress& progress_;
  TurnRuns runs_;
  std::optional<OwnedDirectory> place_;    // of what runs print
  std::optional<ControlReport> reference_; // the failure
  std::map<std::string, TestOutcome> known_;
  Isolated found_;
};

} // namespace

std::vector<size_t> Isolated::differences() const {
  std::vector<size_t> found;
  for (size_t i = 0; i < delta.passing.size(); ++i)
    if (delta.passing[i] != delta.failing[i]) found.push_back(i);
  return found;
}

Result<Isolated> isolate(const Recording& recording, const IsolateStart& start, const IsolateOptions& options,
                         const IsolateProgress& progress) {
  return Isolation(recording, options, progress).run(start);
}

} // namespace symbiosis
