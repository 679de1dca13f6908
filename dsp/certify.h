#pragma once
// The proof on the real program: the failing schedule must fail every time, and one whole run of the alternate
// must come again as it was, every time.
#include "dsp/diagnosis.h"
#include "dsp/observer.h"
#include "replay/logged_run.h"
#include "replay/replay.h"
#include <chrono>
#include <functional>

namespace symbiosis {

// An alternate on the failing path ends where the recorded run did: what the program does behind its last entry
// nobody knows. It is continued under a strategy, another seed each time (a *continuation*), and the first run
// that ends well is the whole run: recorded beside the failing one (placeOfAlternate), and replayed from there. An
// alternate on another path is a recorded whole run already.
class Certifier {
public:
  using Deadline = std::chrono::steady_clock::time_point;
  // `failing` is a schedule of `trace`. Nothing is run if `replays` is 0, and no run begins behind the deadline.
  Certifier(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing, size_t replays,
            Observer& observer, Deadline deadline = Deadline::max())
      : recording_(recording), trace_(trace), failing_(failing), replays_(replays), observer_(observer),
        deadline_(deadline) {}

  // Of the diagnosis' alternate, if it has one. The failing schedule is replayed only once, for the first that is
  // asked.
  Certificate of(const Diagnosis& diagnosis);

private:
  struct Continuation {
    LoggedRun run;
    ReplayOutcome outcome;
    bool isGood() const { return outcome.result == ReplayResult::finished && outcome.passedFailurePoint; }
  };

  void announce(const Diagnosis& diagnosis);
  bool isOver() const { return std::chrono::steady_clock::now() >= deadline_; }
  ReplayOptions optionsFor(Expectation expectation, uint64_t seed) const;
  // There is no time for another run: true, and said.
  bool stops(Certificate& certificate, size_t made, size_t wanted) const;
  void showRun() { observer_.runs(Stage::certificate, ++made_, total_); }
  void replayFailing();
  Result<Continuation> continueAlternate(const Schedule& alternate, uint64_t seed) const;
  std::optional<LoggedRun> findWholeRun(const EventOrder& alternate, Certificate& certificate);
  Result<Recording> wholeRunOf(const Diagnosis& diagnosis, Certificate& certificate);
  void replayWhole(const Recording& whole, bool isOtherPath, Certificate& certificate);

  const Recording& recording_;
  const SymbolicTrace& trace_;
  const EventOrder& failing_;
  const size_t replays_;
  Observer& observer_;
  const Deadline deadline_;
  size_t made_ = 0, total_ = 0; // runs, and at most how many, since they were announced
  Certificate failingPart_;     // what is known of the failing schedule; no runs: not asked yet
};

} // namespace symbiosis
