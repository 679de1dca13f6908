#pragma once
// A trace that ends at a decision of one thread, which goes the other way than it did (DESIGN: cuts). What that
// thread did afterwards is gone; the others may have come as far as they like along their recorded paths. Such a
// trace is a question like any other: a schedule *passes* if the decision is made, and made otherwise, and what
// stands behind it is not looked at. So
//
//   solver.passing({})      is there a schedule in which the decision goes otherwise? (none: it is forced)
//   solver.passing(edges)   is there one that respects these orderings? (none: they force it as recorded)
//
// It is made in the terms of traces in which threads wait for ever: after the decision the thread stands before an
// operation that is always possible, and the trace passes when that has happened.
#include "trace/decision.h"

namespace symbiosis {

struct Cut {
  SymbolicTrace trace;
  EventRef decision = kNoEvent;   // in `trace`
  EventRef stop = kNoEvent;       // the operation behind it
  std::vector<EventRef> original; // by event of `trace`; kNoEvent: `stop`
  std::vector<EventRef> inCut;    // by event of the whole trace; kNoEvent: gone

  // A schedule of the whole trace, as far as it is in the cut; the stop comes right behind the decision.
  EventOrder cutDown(const EventOrder& order) const;
  // What happens up to the decision, and the decision, in events of the whole trace.
  EventOrder prefixOf(const EventOrder& order) const;
};

// How a decision goes where it does not go as recorded.
struct Otherwise {
  std::optional<uint32_t> outcome;  // of an event that has more than two; nothing: the other one
  std::vector<ExprId> conditions{}; // of one bit, that hold besides
};

Cut cutAt(const SymbolicTrace& trace, const Decision& decision, const Otherwise& otherwise = {});

// A trace whose threads stop before certain events: the beginning of what was recorded, of each thread so much.
struct Standing {
  SymbolicTrace trace;
  std::vector<EventRef> inTrace; // by event of the whole trace; kNoEvent: gone
  EventRef stop = kNoEvent;      // of `meetingAt`
};

// Each thread stands before its event of `at` (kNoEvent: it has come to its end) and waits there for ever: what
// `ScheduleSolver::failing` finds is how they come to that.
Standing waitingAt(const SymbolicTrace& trace, const std::vector<EventRef>& at);

// Two threads stand before these events, and nothing must come between the two: `ScheduleSolver::passing({edge})`
// says whether they can, where the edge is from the last event of the second one's thread to `stop`.
Standing meetingAt(const SymbolicTrace& trace, EventRef first, EventRef second);

} // namespace symbiosis
