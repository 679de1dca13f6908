// Theory. Walking backwards from the failure, each decision is turned alone and the program run on from there in a
// few ways. As long as no way passes without the turn (the *control*), the run was lost before this decision or at
// it; the earliest decision whose turn saves it is the point of no return:
//
//   T1 if (left > 0)       T2 if (left > 0) ◆      T1 left--      T2 left--      assert(left >= 0)
//                          turned: reads 0, does not sell: passes always.
//                          control: has read 1; whatever follows, it sells: fails always.
//   T1's own test, earlier: the control passes, for T2 may still test later. It is not what went wrong.
//
// Once a control passes, earlier decisions need not be looked at: what passes after a later decision passes after
// an earlier one. A control that passes sometimes (a signal may still come in time) can be decisive, too; Fisher's
// test says whether the difference is more than luck. A handful of runs is enough where all of them agree; where
// they do not, there are twenty of each, and sixty where twenty leave a doubt.
#include "search/decisive.h"
#include "replay/guest_strategies.h"
#include "search/held_back.h"
#include "support/stopwatch.h"
#include "trace/trace_end.h"
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

namespace symbiosis {
namespace {

constexpr size_t kFewRuns = TurnedRuns::kFirstStrategies;
constexpr size_t kEnoughRuns = 20;
constexpr size_t kManyRuns = 60;           // of what may be luck …
constexpr double kMayBeMoreThanLuck = 0.2; // … if it is no more likely than this

class DecisiveLoop {
public:
  DecisiveLoop(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing,
               const DecisiveOptions& options, const std::function<void(const DecisiveCounts&)>& progress)
      : recording_(recording), trace_(trace), failing_(failing), options_(options), progress_(progress),
        runs_(recording, trace, failing) {}

  Result<DecisiveSearch> run() {
    if (Result<void> done = exploreOthers(); !done) return done.error();
    if (Result<void> done = keepUpdates(); !done) return done.error();
    if (result_.found) {
      result_.counts.runs = runs_.runs() + result_.explored;
      return std::move(result_);
    }
    const std::vector<Decision> decisions = decisionsIn(trace_, failing_);
    result_.counts.decisions = decisions.size();
    for (size_t i = decisions.size(); i-- > 0 && !isBeforeTheLoss_ && mayGoOn();) {
      const Turn answer = ask(decisions[i]);
      if (answer.prefix.empty()) continue;
      tried_.insert(i);
      const bool alone = answer.status == TurnStatus::possible;
      if (Result<void> done = tryTurn(decisions[i], answer, alone); !done) return done.error();
    }
    if (Result<void> done = choose(); !done) return done.error();
    if (!result_.isSignificant)
      if (Result<void> done = askSolver(decisions); !done) return done.error();
    if (!result_.isSignificant)
      if (Result<void> done = delay(decisions); !done) return done.error();
    if (result_.isSignificant)
      if (Result<void> done = preferTheTest(decisions); !done) return done.error();
    if (!result_.isSignificant)
      if (Result<void> done = takeUpdate(); !done) return done.error();
    result_.counts.runs = runs_.runs() + result_.explored;
    return std::move(result_);
  }

private:
  struct Candidate {
    TurnedDecision turned;
    Trial trial, control;
    EventOrder unturned; // prefix of the control
    bool isExtended = false;
  };

  bool mayGoOn() {
    const bool may =
        runs_.runs() + result_.explored + 2 * kFewRuns <= options_.mostRuns && watch_.seconds() < options_.seconds;
    if (!may) result_.complete = false;
    return may;
  }
  void show() {
    result_.counts.runs = runs_.runs() + result_.explored;
    if (progress_) progress_(result_.counts);
  }

  // With strategies that differ: whether the program always fails, and a run that passes in case nothing better
  // is found. In the first nobody is interrupted: where the same thing goes wrong again and again, no other may
  // pass; but one that does is nearer to the failing run.
  Result<void> exploreOthers() {
    ControlledRun base;
    base.launch = launchOf(recording_);
    base.launch.quiet = true;
    base.launch.timeoutSeconds = 20;
    base.heldMegabytes = recording_.info.heldMegabytes;
    base.stepLimit = 2'000'000;
    base.log = format::ControlLog::switches;
    GuestStrategies source(blindStrategies(), 1, trace_.events.size());
    for (uint64_t number = 1; number <= options_.exploredRuns && watch_.seconds() < options_.seconds / 3;
         ++number) {
      const bool isCalm = number == 1;
      ControlledRun how = isCalm ? uninterrupted(base) : source.next(number, base);
      Result<ControlReport> report = runControlled(how);
      if (!report) return report.error();
      ++result_.explored;
      const bool passed = runs_.passes(*report);
      result_.exploredPassed += passed;
      result_.exploredUndecided +=
          !passed && outcomeOf(*report, recording_.info.expectedExit) != RunOutcome::failed;
      const bool isWanted = !result_.anyPassing || result_.anyPassing->how.strategy == format::Strategy::stay;
      if (passed && isWanted) result_.anyPassing = LoggedRun{std::move(how), std::move(*report)};
      show();
    }
    return {};
  }
  static ControlledRun uninterrupted(ControlledRun run) {
    run.seed = 1;
    run.strategy = format::Strategy::stay;
    run.parameters = format::rowOf(run.strategy).parameters(0);
    return run;
  }

  // An update that is lost says more than the decisions that follow from it. The latest first: either its thread
  // comes later, and reads what would have been lost, or the other one does. The control has both, the early read
  // and the write that will be lost.
  Result<void> keepUpdates() {
    for (const LostUpdate& update : differentPlaces(LostUpdates(trace_).in(failing_))) {
      if (result_.found || !mayGoOn()) break;
      const EventRef theirs = readBehind(update);
      for (const EventOrder& prefix :
           {heldUntil(trace_, failing_, outermostLock(trace_, update.read), update.lost, update.read),
            heldUntil(trace_, failing_, outermostLock(trace_, theirs), update.write, kNoEvent)}) {
        if (prefix.empty() || result_.found) continue;
        if (Result<void> done = tryUpdate(update, prefix); !done) return done;
      }
    }
    return {};
  }
  // Of many that are lost in one place (the elements of an array, one after the other) a single one says as much,
  // but where several go wrong, each of them is fatal: the latest of each place comes first, then the earliest of
  // each, then the others.
  std::vector<LostUpdate> differentPlaces(const std::vector<LostUpdate>& lost) const {
    constexpr size_t kMostUpdates = 8;
    auto placeOf = [&](const LostUpdate& update) {
      auto place = [&](EventRef ref) { return trace_.event(ref).location; };
      return std::array{place(update.read), place(update.write), place(update.lost)};
    };
    std::map<std::array<uint32_t, 3>, std::deque<LostUpdate>> byPlace; // the latest in front
    for (const LostUpdate& update : lost) byPlace[placeOf(update)].push_front(update);
    std::vector<LostUpdate> result;
    for (size_t round = 0; result.size() < kMostUpdates; ++round) {
      const size_t before = result.size();
      for (auto& [place, updates] : byPlace) {
        if (updates.empty() || result.size() == kMostUpdates) continue;
        const bool takesEarliest = round % 2 == 1;
        result.push_back(takesEarliest ? updates.back() : updates.front());
        takesEarliest ? updates.pop_back() : updates.pop_front();
      }
      if (result.size() == before) break;
    }
    return result;
  }
  // What the lost write was made from, if that was read from the same place; else the write.
  EventRef readBehind(const LostUpdate& update) const {
    for (const Part& part : trace_.partsOf(update.lost)) {
      if (part.cell != update.cell || part.written == kNoExpr) continue;
      for (uint32_t symbol : trace_.exprs.symbolsIn(part.written)) {
        const EventRef read = trace_.symbols[symbol].event;
        if (read == kNoEvent || trace_.threadOf(read) != trace_.threadOf(update.lost)) continue;
        for (const Part& seen : trace_.partsOf(read))
          if (seen.cell == update.cell) return read;
      }
    }
    return update.lost;
  }
  Result<void> tryUpdate(const LostUpdate& update, const EventOrder& prefix) {
    Candidate candidate;
    candidate.turned.decision = {update.read, kNone};
    candidate.turned.update = update;
    candidate.turned.prefix = prefix;
    if (Result<void> done = runs_.extend(candidate.trial, prefix, 0, kFewRuns); !done) return done;
    show();
    if (candidate.trial.passed == 0) return {};
    const auto end = std::find(failing_.begin(), failing_.end(), update.lost);
    candidate.unturned.assign(failing_.begin(), end + 1);
    if (Result<void> done = runs_.extend(candidate.control, candidate.unturned, 1, kFewRuns); !done) return done;
    show();
    if (candidate.control.passed == 0) {
      if (Result<void> done = extend(candidate); !done) return done;
      if (candidate.control.passed == 0 && isSignificant(contrastOf(candidate))) {
        adopt(candidate);
        return {};
      }
    }
    updates_.push_back(std::move(candidate));
    return {};
  }
  // Where no decision explains it: an update whose loss is not always fatal (another one may be lost as well, and
  // make up for it), but makes a difference that is more than luck.
  Result<void> takeUpdate() {
    for (Candidate& candidate : updates_) {
      if (Result<void> done = extend(candidate); !done) return done;
      if (isSignificant(contrastOf(candidate))) adopt(candidate);
    }
    return {};
  }

  // What holding one thread back does not turn may be turned by more: several threads, several times.
  Result<void> askSolver(const std::vector<Decision>& decisions) {
    const Stopwatch watch;
    for (size_t i = decisions.size(); i-- > 0 && !isBeforeTheLoss_ && mayGoOn();) {
      if (tried_.contains(i) || watch.seconds() > options_.solverSeconds) continue;
      const Turn answer = turn(trace_, failing_, decisions[i], options_.question);
      result_.counts.impossible += answer.status == TurnStatus::impossible;
      if (answer.prefix.empty()) continue;
      const bool alone = answer.status == TurnStatus::possible;
      if (Result<void> done = tryTurn(decisions[i], answer, alone); !done) return done;
    }
    return choose();
  }

  Turn ask(const Decision& decision) {
    Turn answer = turn(trace_, failing_, decision, {0, 0});
    DecisiveCounts& counts = result_.counts;
    ++counts.asked;
    counts.turned += answer.status == TurnStatus::possible || answer.status == TurnStatus::notAlone;
    show();
    return answer;
  }

  // The point of no return may lie in a thread that only looks in between: another one has tested something, and
  // what it does because of that comes after the look. Then the test is what must not be apart from the act:
  //
  //   T1 if (nobody here) ◆      T2 if (!asleep) do not ring      T1 asleep = 1, waits for ever
  //
  // It is shown instead, if its turn makes a significant difference as well.
  Result<void> preferTheTest(const std::vector<Decision>& decisions) {
    const EventRef write = neededWrite(*result_.found);
    if (write == kNoEvent || !mayGoOn()) return {};
    const std::vector<uint32_t> position = positionsOf(trace_, failing_);
    const uint32_t look = position[result_.found->decision.event];
    const Decision* test = nullptr;
    for (const Decision& other : decisions)
      if (trace_.threadOf(other.event) == trace_.threadOf(write) && other.event < write &&
          position[other.event] < look)
        test = &other;
    // Where both do the same, the one that lost its way says as much.
    if (!test || locationOf(trace_, *test) == locationOf(trace_, result_.found->decision)) return {};
    const Turn answer = turn(trace_, failing_, *test, options_.question);
    if (answer.prefix.empty()) return {};
    candidates_.clear();
    if (Result<void> done = tryTurn(*test, answer, answer.status == TurnStatus::possible); !done) return done;
    if (candidates_.empty()) return {};
    Candidate& candidate = candidates_.back();
    if (Result<void> done = extend(candidate); !done) return done;
    if (!isSignificant(contrastOf(candidate))) return {};
    result_.found.reset();
    adopt(candidate);
    return {};
  }
  // What another thread writes too late for the decision to see it; kNoEvent: it is turned otherwise.
  EventRef neededWrite(const TurnedDecision& turned) const {
    const std::vector<uint32_t> position = positionsOf(trace_, failing_);
    const EventRef read = firstReadOf(trace_, turned.decision);
    EventRef last = kNoEvent;
    for (EventRef ref : turned.prefix) {
      if (ref == read) break;
      if (trace_.threadOf(ref) != trace_.threadOf(read) && writesWhatIsRead(ref, read)) last = ref;
    }
    return last != kNoEvent && position[last] > position[turned.decision.event] ? last : kNoEvent;
  }
  bool writesWhatIsRead(EventRef write, EventRef read) const {
    for (const Part& part : trace_.partsOf(write))
      for (const Part& other : trace_.partsOf(read))
        if (part.written != kNoExpr && part.cell == other.cell) return true;
    return false;
  }

  // What the trace lacks cannot be asked for: what other threads would have done next. So the deciding thread, of
  // the check first and then of each decision, is held back before it reads, and the others run on.
  Result<void> delay(const std::vector<Decision>& decisions) {
    std::vector<Decision> all = decisions;
    if (const EventRef read = lastReadOfCheck(); read != kNoEvent) all.push_back({read, kNone});
    std::set<EventRef> held;
    for (size_t i = all.size(); i-- > 0 && !result_.isSignificant && mayGoOn();) {
      const EventRef hold = outermostLock(trace_, firstReadOf(trace_, all[i]));
      if (!held.insert(hold).second) continue;
      if (Result<void> done = tryDelay(all[i], hold); !done) return done;
    }
    return {};
  }
  EventRef lastReadOfCheck() const {
    EventRef last = kNoEvent;
    if (TraceEnd(trace_).failure() == kNoEvent) return last;
    for (ExprId conjunct : trace_.failure.bug)
      for (uint32_t symbol : trace_.exprs.symbolsIn(conjunct)) {
        const EventRef read = trace_.symbols[symbol].event;
        if (read != kNoEvent && trace_.threadOf(read) == trace_.threadOf(trace_.failure.event) &&
            (last == kNoEvent || read > last))
          last = read;
      }
    return last;
  }
  Result<void> tryDelay(const Decision& decision, EventRef hold) {
    Candidate candidate;
    candidate.turned.decision = decision;
    candidate.turned.delayedBefore = hold;
    if (Result<void> done = runs_.extendDelayed(candidate.trial, hold, 1, kFewRuns); !done) return {};
    show();
    if (candidate.trial.passed == 0) return {};
    const auto end = std::find(failing_.begin(), failing_.end(), decision.event);
    candidate.unturned.assign(failing_.begin(), end + 1);
    if (Result<void> done = runs_.extend(candidate.control, candidate.unturned, 1, kFewRuns); !done) return done;
    if (Result<void> done = extend(candidate); !done) return done;
    adopt(candidate);
    return {};
  }

  Result<void> tryTurn(const Decision& decision, const Turn& answer, bool alone) {
    Candidate candidate;
    candidate.turned.decision = decision;
    candidate.turned.prefix = answer.prefix;
    candidate.turned.alone = alone;
    if (Result<void> done = runs_.extend(candidate.trial, answer.prefix, 0, kFewRuns); !done) return done;
    if (candidate.trial.diverged > 0)
      result_.problems.push_back(trace_.describe(decision.event) + ": " + candidate.trial.divergence);
    show();
    if (candidate.trial.passed == 0 && candidate.trial.failing)
      result_.furtherFailing.push_back(std::move(*candidate.trial.failing));
    if (candidate.trial.passed == 0) return {};
    const auto end = std::find(failing_.begin(), failing_.end(), decision.event);
    candidate.unturned.assign(failing_.begin(), end + 1);
    if (Result<void> done = runs_.extend(candidate.control, candidate.unturned, 1, kFewRuns); !done) return done;
    show();
    isBeforeTheLoss_ = candidate.control.passed > 0;
    candidates_.push_back(std::move(candidate));
    return {};
  }

  // Twenty runs each, and more, where that may change the answer.
  Result<void> extend(Candidate& candidate) {
    if (candidate.isExtended) return {};
    candidate.isExtended = true;
    if (Result<void> done = extend(candidate, kFewRuns, kEnoughRuns); !done) return done;
    const double chance = chanceOf(contrastOf(candidate));
    const bool mayBe = chance >= kSignificant && chance < kMayBeMoreThanLuck;
    return mayBe ? extend(candidate, kEnoughRuns, kManyRuns) : Result<void>();
  }
  // The way that the failing run went on (number 0) is no part of the control.
  Result<void> extend(Candidate& candidate, size_t first, size_t end) {
    if (watch_.seconds() >= options_.seconds ||
        runs_.runs() + result_.explored + 2 * (end - first) > options_.mostRuns)
      return {};
    auto withoutRecorded = [](size_t number) { return number == kFewRuns ? number : number + 1; };
    const EventRef hold = candidate.turned.delayedBefore;
    Result<void> done = hold == kNoEvent
                            ? runs_.extend(candidate.trial, candidate.turned.prefix, first, end)
                            : runs_.extendDelayed(candidate.trial, hold, withoutRecorded(first), end + 1);
    if (!done) return done;
    return runs_.extend(candidate.control, candidate.unturned, withoutRecorded(first), end + 1);
  }

  static Contrast contrastOf(const Candidate& candidate) {
    return {candidate.trial.passed, candidate.trial.runs, candidate.control.passed, candidate.control.runs};
  }

  // The earliest point of no return whose turn makes a difference; else the clearest difference that there is.
  Result<void> choose() {
    Candidate* chosen = nullptr;
    for (size_t i = candidates_.size(); i-- > 0 && !chosen;) {
      if (candidates_[i].control.passed > 0) continue;
      if (Result<void> done = extend(candidates_[i]); !done) return done;
      if (candidates_[i].control.passed == 0 && isSignificant(contrastOf(candidates_[i])))
        chosen = &candidates_[i];
    }
    if (!chosen)
      for (Candidate& candidate : candidates_) {
        if (Result<void> done = extend(candidate); !done) return done;
        if (!chosen || chanceOf(contrastOf(candidate)) < chanceOf(contrastOf(*chosen))) chosen = &candidate;
      }
    if (chosen) adopt(*chosen);
    candidates_.clear();
    return {};
  }
  // Unless what there is already says more.
  void adopt(Candidate& candidate) {
    candidate.turned.contrast = contrastOf(candidate);
    if (result_.found && chanceOf(result_.found->contrast) <= chanceOf(candidate.turned.contrast)) return;
    candidate.turned.passing = std::move(*candidate.trial.passing);
    result_.isSignificant = isSignificant(candidate.turned.contrast);
    result_.found = std::move(candidate.turned);
  }

  const Recording& recording_;
  const SymbolicTrace& trace_;
  const EventOrder& failing_;
  const DecisiveOptions& options_;
  const std::function<void(const DecisiveCounts&)>& progress_;
  Stopwatch watch_;
  TurnedRuns runs_;
  std::vector<Candidate> candidates_; // the latest decision first
  std::vector<Candidate> updates_;    // lost ones without which it passes, and sometimes with them
  std::set<size_t> tried_;            // numbers of decisions that were turned by holding a thread back
  bool isBeforeTheLoss_ = false;
  DecisiveSearch result_;
};

} // namespace

Result<DecisiveSearch> findDecisive(const Recording& recording, const SymbolicTrace& trace,
                                    const EventOrder& failing, const DecisiveOptions& options,
                                    const std::function<void(const DecisiveCounts&)>& progress) {
  return DecisiveLoop(recording, trace, failing, options, progress).run();
}

} // namespace symbiosis
