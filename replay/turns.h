#pragma once
// A schedule as turns: which thread runs, and up to where, again and again; the papers' thread execution
// intervals. Turns can be changed at will: a thread that cannot come as far as its turn says, or is past it,
// leaves the next turn to whoever has it (EntryType::turn), so that every list of turns is a run of the program,
// though perhaps not the run that it says. What really ran is a list of turns again.
#include "replay/controlled_run.h"

namespace symbiosis {

struct ThreadTurn {
  std::string thread;  // hierarchical id
  uint64_t end = 0;    // behind the turn the thread stands before its point `end` …
  uint32_t silent = 0; // … having made so many silent operations
  bool mustWait =
      false; // behind it the thread could not have gone on, or had ended; not part of what is asked for
  bool isBefore(const ThreadTurn& other) const {
    return end != other.end ? end < other.end : silent < other.silent;
  }
};
using Turns = std::vector<ThreadTurn>;

inline constexpr uint64_t kToItsEnd = ~uint64_t{0}; // of a turn: as far as the thread can go

// What was granted in a run whose log is not `nothing`. The last turn goes on to the failure, or as far as it can.
Turns turnsOf(const ControlReport& report);

// Without turns that move nobody, neighbours of one thread made one.
Turns tidied(const Turns& turns);

inline size_t switchesOf(const Turns& turns) { return turns.empty() ? 0 : turns.size() - 1; }
// Switches at which the thread that is left could have gone on.
size_t preemptionsOf(const Turns& turns);

Result<Plan> planOf(const Turns& turns);

// The same thread fails in the same way, as far as this shows without looking into the program: the same
// assertion; the same signal; the same exit status; the same threads waiting in the same kind of operation.
bool failAlike(const ControlReport& a, const ControlReport& b);

} // namespace symbiosis
