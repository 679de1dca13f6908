#pragma once
// Turns a decision by holding one thread back: the cheapest schedules that can make a read see something else, run
// through the model without asking a solver.
#include "trace/cut.h"

namespace symbiosis {

// Orders of the cut in which the decision is turned, up to and with it; each differs from `model` in that one
// thread waits somewhere. The nearest to the model first; empty: none of those tried.
std::vector<EventOrder> turnedByHolding(const Cut& cut, const EventOrder& model);

// Of the whole trace: a schedule like `model`, in which `from`'s thread waits before it until `until` has
// happened, and then runs up to and with `last` (kNoEvent: no further). Whoever cannot go on, or would leave its
// recorded path, stands still; what follows from the last event is not looked at. Empty: there is no such
// schedule.
EventOrder heldUntil(const SymbolicTrace& trace, const EventOrder& model, EventRef from, EventRef until,
                     EventRef last);

// Of the thread, the event before which it is held so that `event` comes later: the outermost lock around it.
EventRef outermostLock(const SymbolicTrace& trace, EventRef event);

} // namespace symbiosis
