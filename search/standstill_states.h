#pragma once
// Where all threads of a path could wait for each other, or for something that nobody does any more: states of the
// synchronisation in which nobody can go on. Values are not looked at, so there may be more of these than can
// happen (and none that can is missing); for each, `waitingAt` makes the exact question.
#include "trace/symbolic_trace.h"
#include <chrono>

namespace symbiosis {

struct StandstillStates {
  // By thread: the event that it stands before; kNoEvent: it has come to its end.
  std::vector<std::vector<EventRef>> states;
  bool isComplete = true; // false: a limit was reached
  size_t visited = 0;     // states of the synchronisation
};

StandstillStates findStandstills(const SymbolicTrace& trace, size_t mostStates,
                                 std::chrono::steady_clock::time_point deadline);

} // namespace symbiosis
