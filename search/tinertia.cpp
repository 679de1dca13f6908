// Theory (Tinertia §3, Algorithm 1). A run is a list of turns; its cost is the number of switches between them.
// Three moves make it cheaper:
//
//   remove last        the last turn of a thread is left out
//   consolidate up     the next turn of a thread comes at once, behind the one before it
//   consolidate down   a turn is not given; the thread does all of it in its next turn
//
// A move is judged by running the program along the changed list. What happens then may be something else than the
// list says: a thread meets a lock, takes another branch, or waits (§4.2.1); it then has as much of its turn as it
// can have, and the others go on. So what counts is what really ran: if it fails alike and costs no more than what
// was asked for, it is the new list. Where consolidating up meets a thread that has to wait, the second stage
// moves what could be moved, which costs as much as before but turns a preemption into a wait. All moves are tried
// again until none succeeds; the result is then a local minimum (Theorem 3.3), which the last iteration has shown.
//
// Where we depart: before single moves, whole threads are left out, and blocks of turns, halves first, are
// consolidated down together, because on long lists most moves succeed and each costs a run. A list that has been
// run is not run again.
#include "search/tinertia.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_set>

namespace symbiosis {
namespace {

std::string keyOf(const Turns& turns) {
  std::string key;
  for (const ThreadTurn& turn : turns) key += fmt::format("{} {} {};", turn.thread, turn.end, turn.silent);
  return key;
}

class Tinertia {
public:
  Tinertia(TurnRuns& runs, const TinertiaOptions& options, const ControlReport& failing,
           const std::function<void(size_t, size_t)>& progress)
      : runs_(runs), options_(options), reference_(failing), progress_(progress) {
    become(failing);
  }

  Result<TinertiaResult> simplify() {
    TinertiaResult result;
    result.before = turns_;
    for (bool improved = true; improved && !isOver();) {
      ++result.iterations;
      triedInIteration_ = 0;
      improved = leaveOutThreads();
      improved |= consolidateBlocks();
      improved |= removeLast();
      improved |= consolidateUp();
      improved |= consolidateDown();
    }
    if (problem_) return *problem_;
    result.after = turns_;
    result.report = std::move(report_);
    result.checked = triedInIteration_;
    result.isMinimal = !isOver() && options_.suffix == 0;
    return result;
  }

private:
  bool isOver() const { return problem_ || runs_.isSpent(); }
  void become(const ControlReport& report) {
    report_ = report;
    turns_ = turnsOf(report);
  }
  // The first turn that may be changed.
  size_t begin() const {
    return options_.suffix == 0 || options_.suffix >= turns_.size() ? 0 : turns_.size() - options_.suffix;
  }
  std::optional<size_t> nextOfThread(size_t i) const {
    for (size_t j = i + 1; j < turns_.size(); ++j)
      if (turns_[j].thread == turns_[i].thread) return j;
    return std::nullopt;
  }

  // Runs the program along the list; if that fails alike, as cheap as it was asked to and cheaper than before, it
  // is the new list.
  bool tryOut(const Turns& wanted) {
    const Turns proposed = tidied(wanted);
    ++triedInIteration_;
    if (isOver() || proposed.empty() || !tried_.insert(keyOf(proposed)).second) return false;
    Result<ControlReport> report = runs_.run(proposed);
    if (!report) {
      problem_ = report.error();
      return false;
    }
    progress_(runs_.runs(), switchesOf(turns_));
    lastRun_ = turnsOf(*report);
    const bool fails = runs_.outcomeOf(*report) == RunOutcome::failed && failAlike(reference_, *report);
    if (!fails || switchesOf(lastRun_) > switchesOf(proposed) || !isCheaper(lastRun_, turns_)) return false;
    become(*report);
    return true;
  }
  static bool isCheaper(const Turns& a, const Turns& b) {
    if (switchesOf(a) != switchesOf(b)) return switchesOf(a) < switchesOf(b);
    return preemptionsOf(a) < preemptionsOf(b);
  }

  bool leaveOutThreads() {
    std::set<std::string> threads;
    for (size_t i = begin(); i < turns_.size(); ++i) threads.insert(turns_[i].thread);
    bool improved = false;
    for (const std::string& thread : threads) {
      Turns without;
      for (size_t i = 0; i < turns_.size(); ++i)
        if (i < begin() || turns_[i].thread != thread) without.push_back(turns_[i]);
      if (without.size() < turns_.size()) improved |= tryOut(without);
    }
    return improved;
  }

  bool consolidateBlocks() {
    bool improved = false;
    for (size_t size = (turns_.size() - begin()) / 2; size >= 2 && !isOver(); size /= 2)
      for (size_t at = begin(); at + size < turns_.size() && !isOver();) {
        Turns proposed = turns_;
        proposed.erase(proposed.begin() + long(at), proposed.begin() + long(at + size));
        const bool done = tryOut(proposed);
        improved |= done;
        if (!done) at += size;
      }
    return improved;
  }

  bool removeLast() {
    bool improved = false;
    for (size_t i = turns_.size(); i-- > begin() && !isOver();) {
      if (i >= turns_.size() || nextOfThread(i)) continue;
      Turns proposed = turns_;
      proposed.erase(proposed.begin() + long(i));
      improved |= tryOut(proposed);
    }
    return improved;
  }

  bool consolidateUp() {
    bool improved = false;
    for (size_t i = begin(); i < turns_.size() && !isOver();) {
      const std::optional<size_t> next = nextOfThread(i);
      Turns proposed = turns_;
      bool done = false;
      if (next) {
        proposed[i].end = turns_[*next].end;
        proposed[i].silent = turns_[*next].silent;
        proposed.erase(proposed.begin() + long(*next));
        lastRun_.clear();
        done = tryOut(proposed) || (!turns_[i].mustWait && moveWhatCouldBeMoved(i));
      }
      improved |= done;
      if (!done) ++i;
    }
    return improved;
  }
  // The second stage: the last run has shown how far the thread comes at this place before it must wait.
  bool moveWhatCouldBeMoved(size_t i) {
    if (lastRun_.size() <= i || lastRun_[i].thread != turns_[i].thread || !turns_[i].isBefore(lastRun_[i]))
      return false;
    if (!lastRun_[i].mustWait) return false;
    Turns proposed = turns_;
    proposed[i] = lastRun_[i];
    return tryOut(proposed);
  }

  bool consolidateDown() {
    bool improved = false;
    for (size_t i = turns_.size(); i-- > begin() && !isOver();) {
      if (i >= turns_.size() || !nextOfThread(i)) continue;
      Turns proposed = turns_;
      proposed.erase(proposed.begin() + long(i));
      improved |= tryOut(proposed);
    }
    return improved;
  }

  TurnRuns& runs_;
  const TinertiaOptions& options_;
  const ControlReport reference_;
  const std::function<void(size_t, size_t)>& progress_;
  ControlReport report_; // of the best run so far
  Turns turns_;          // and its turns
  Turns lastRun_;        // of the last run, whatever came of it
  std::unordered_set<std::string> tried_;
  size_t triedInIteration_ = 0;
  std::optional<Error> problem_;
};

} // namespace

Result<TinertiaResult> simplifyByExecution(const Recording& recording, Plan start, const TinertiaOptions& options,
                                           const std::function<void(size_t, size_t)>& progress) {
  TurnRuns runs(recording, options.budget);
  Result<ControlReport> recorded = runs.follow(std::move(start));
  if (!recorded) return recorded.error();
  if (runs.outcomeOf(*recorded) != RunOutcome::failed)
    return nothingFound(fmt::format("the failing run did not fail when it was run again: {}",
                                    recorded->text.empty() ? toText(recorded->ending) : recorded->text));
  runs.expectLike(*recorded);
  Result<ControlReport> asTurns = runs.run(turnsOf(*recorded));
  if (!asTurns) return asTurns.error();
  if (runs.outcomeOf(*asTurns) != RunOutcome::failed || !failAlike(*recorded, *asTurns))
    return gaveUp(
        "the failing run, taken as a list of turns, does not fail: its choices (whom a signal wakes, what a "
        "call outside returned) are not all in the order of its threads");
  Result<TinertiaResult> result = Tinertia(runs, options, *asTurns, progress).simplify();
  if (!result) return result;
  result->before = turnsOf(*recorded);
  result->runs = runs.runs();
  result->seconds = runs.seconds();
  return result;
}

} // namespace symbiosis
