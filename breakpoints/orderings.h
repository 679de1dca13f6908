#pragma once
// The room `breakpoints`: the cause of a failure as concurrent breakpoints (Park and Sen 2011), enforced by our
// runtime or written into the sources. It promises that what it writes was first tried on the program.
//
// An ordering says that one thread comes so far before another does its next step. Those of a failing schedule are
// its context switches: where a thread goes on, another has come to a certain place before. Most of them do not
// matter for the failure; `weakened` leaves out what can be left out, by experiment.
#include "breakpoints/visits.h"
#include "replay/replay.h"
#include "search/turn_runs.h"
#include "trace/schedule.h"

namespace symbiosis {

struct Ordering {
  EventRef before = kNoEvent; // has happened …
  // … when its thread comes to this event of its own, which may be its exit; kNoEvent: the recorded run ended
  // first, and nobody knows what comes next.
  EventRef next = kNoEvent;
  EventRef after = kNoEvent; // may happen then
  bool isHold = false;       // `before` is the failure: `after` does not happen before it
  bool isBehind = false;     // of a hold: `after` is the last that its thread does before it
};
using Orderings = std::vector<Ordering>;

// The context switches of the schedule up to the failure, without those that starting and joining threads imply;
// and, of each other thread, what it had not done yet when the run failed.
Orderings orderingsOf(const SymbolicTrace& trace, const EventOrder& failing);

// The same failure, with as few switches in the middle of a statement as moving whole statements gives.
EventOrder alignedToStatements(const SymbolicTrace& trace, const Visits& visits, EventOrder failing);

// An ordering as something that can be written into the sources.
struct PlacedOrdering {
  std::string reachedThread, awaitsThread; // hierarchical ids
  std::optional<Coming> reached;           // nothing: never, because the run ends there
  bool isAtEnd = false;                    // reached when the thread has ended, after it has come there
  Coming awaits;
};
// Error gaveUp: which place cannot be used, and why.
Result<PlacedOrdering> placed(const SymbolicTrace& trace, const Visits& visits, const Ordering& ordering);

// The same with what has no place in the sources, the inside of a library for example, moved on to what follows it
// in its thread. Whether that still forces the failure has to be tried.
Orderings movedToPlaces(const SymbolicTrace& trace, const Visits& visits, Orderings orderings);

// --- enforced_runs.cpp: the program with orderings, under control ---

struct EnforcedRuns {
  size_t runs = 0, failed = 0; // as the recorded one did, if that is known
  size_t hit = 0;              // all orderings were kept
  size_t undecided = 0;        // ended by a limit
};

Result<Plan> planOf(const SymbolicTrace& trace, const Orderings& orderings);

// `number` of runs, each with another seed and strategy. Stops at the first that does not fail if `stopsEarly`.
Result<EnforcedRuns> runEnforced(const Recording& recording, const SymbolicTrace& trace,
                                 const Orderings& orderings, size_t number, bool stopsEarly,
                                 const std::function<void(size_t)>& progress = {});

struct Weakened {
  Orderings orderings;
  EnforcedRuns check; // of these, in the end
  size_t runs = 0;    // in all
};
using KeepsPlace = std::function<bool(const Ordering&)>;

// As few orderings as make the program fail in each of `number` runs; those of which `isWanted` says no are left
// out first. Error nothingFound: not even all of them do.
Result<Weakened> weakened(const Recording& recording, const SymbolicTrace& trace, const Orderings& all,
                          const KeepsPlace& isWanted, size_t number, const std::function<void(size_t)>& progress);

} // namespace symbiosis
