#pragma once
// Methodology II of Park and Sen (2011, §5): where nobody knows the cause, the conflicts that were seen in a run
// are tried one by one, in both orders, and what counts is how often the failure follows and how often the
// breakpoint was hit: a failure without a hit has another cause.
#include "breakpoints/orderings.h"

namespace symbiosis {

// Two places of the sources, of which two threads touch the same memory, one of them writing, or take the same
// lock.
struct Conflict {
  EventRef first = kNoEvent, second = kNoEvent; // of different threads; the nearest pair of these places
  std::string variable;
};

// Each pair of places once, the nearest in the schedule first; at most `most`.
std::vector<Conflict> conflictsOf(const SymbolicTrace& trace, const Visits& visits, const EventOrder& order,
                                  size_t most);

struct TriedOrder {
  Conflict conflict; // `first` was made to happen first
  EnforcedRuns runs;
};

using SearchProgress = std::function<void(size_t tried, size_t all, size_t run)>;

// Every conflict in both orders, `times` runs each.
Result<std::vector<TriedOrder>> tryConflicts(const Recording& recording, const SymbolicTrace& trace,
                                             const std::vector<Conflict>& conflicts, size_t times,
                                             const SearchProgress& progress);

} // namespace symbiosis
