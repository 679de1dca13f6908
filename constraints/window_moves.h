#pragma once
// Tinertia's moves for long schedules: judged by the state behind the window that they change, not by running the
// rest of the schedule again.
#include "constraints/call_watch.h"
#include "constraints/state_hash.h"

namespace symbiosis {

class WindowMoves {
public:
  explicit WindowMoves(const CompiledTrace& code);

  // A schedule with the same values wherever they matter, and at most as many switches. `order` must be feasible.
  // The caller evaluates the result.
  EventOrder reduce(const EventOrder& order, size_t mostEvents, const CallWatch& watch);

private:
  struct Run { // events of one thread
    EventRef first = 0;
    uint32_t count = 0;
  };
  using Runs = std::vector<Run>;

  bool improveOnce(Runs& runs, size_t mostEvents, const CallWatch& watch);
  bool execute(const Run& run);
  bool executeAll(std::span<const Run> runs);
  void takeBackTo(size_t length);
  // The runs of a window, its first and last of one thread: do other orders of them lead to the same state?
  bool isSameWithout(std::span<const Run> window, bool up);
  ThreadIndex threadOf(const Run& run) const { return code_.events[run.first].thread; }
  bool holdsFailure(const Run& run) const {
    return code_.trace.failure.event - run.first < run.count; // wraps around if it stands before
  }

  const CompiledTrace& code_;
  Relevance relevance_;
  Execution state_;
  StateHash hash_;
  EventOrder done_;
  std::vector<StateKey> keys_;
};

} // namespace symbiosis
