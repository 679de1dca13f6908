#pragma once
// Data races: two threads stand before accesses to the same memory, at least one of which writes and not both of
// which are atomic. A program without any, in all its sequentially consistent executions, has no others (the
// guarantee of C and C++ for data-race-free programs that use only sequentially consistent atomics).
#include "constraints/schedule_solver.h"
#include <set>

namespace symbiosis {

struct DataRace {
  EventRef first = kNoEvent, second = kNoEvent;
  EventOrder meeting; // a beginning of a schedule that ends with both, one after the other
};

// A pair of places in the source, the lower one first; what has none is kNone.
using RacingPlaces = std::set<std::pair<std::string, std::string>>;

struct RaceSearch {
  std::vector<DataRace> races; // one for each pair of places that was not known
  size_t asked = 0;            // pairs about which the solver was asked
  size_t unanswered = 0;
  std::string reason; // of the first of those
};

// The races of a path. Pairs of places in `known` are not looked at again; new ones are added.
RaceSearch findRaces(const SymbolicTrace& trace, RacingPlaces& known, const SolverLimits& limits);

} // namespace symbiosis
