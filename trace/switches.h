#pragma once
// The context switches of a schedule, and which of them somebody had to make: where a thread has ended or must
// wait, another goes on; where it could have gone on, it was preempted.
#include "trace/schedule.h"

namespace symbiosis {

struct ContextSwitch {
  size_t position = 0;          // in the order: of the first event behind the switch
  ThreadIndex from = 0, to = 0; // who is left, who goes on
  EventRef last = kNoEvent;     // what `from` did last
  EventRef next = kNoEvent;     // what it stands before; kNoEvent: it has ended
  bool preemptive = false;      // `next` was possible
};

// Up to the end of what is looked at: what never happens has no switches.
std::vector<ContextSwitch> switchesOf(const SymbolicTrace& trace, const EventOrder& order);

// The schedule up to its failure: what stands behind was only seen because the process took a moment to end, or
// never happened.
EventOrder untilFailure(const SymbolicTrace& trace, const EventOrder& order);

// How many of them are preemptive, without those at which the thread stands before what it later waits for for
// ever.
size_t preemptions(const SymbolicTrace& trace, const EventOrder& order);

} // namespace symbiosis
