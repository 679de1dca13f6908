#pragma once
// A *decision* is what a thread does because of what it read: which way a branch goes, which object an address
// names, whether a try succeeds, whether a wait is ended by a signal or by the clock. The failing check is one,
// too, the last; it is not listed here, because the questions about it are asked without a cut.
#include "trace/schedule.h"

namespace symbiosis {

// How the objects begin whose cells count what was sent through a pipe, socket or eventfd, and taken out of it.
inline constexpr char kChannelId[] = "channel:";

struct Decision {
  EventRef event = kNoEvent;  // once it has happened, the decision is made
  uint32_t condition = kNone; // in SymbolicTrace::conditions; kNone: the outcome of the event itself
  bool operator==(const Decision&) const = default;
};

// The outcome of the event depends on when it happens: a try, a wait with a time limit.
bool hasOutcome(const Event& event);

// The decisions made before the failure, in the order of the schedule. Of a spin (the same decision of a thread
// again and again, and no other in between) the first and the last two rounds stand for the rest.
std::vector<Decision> decisionsIn(const SymbolicTrace& trace, const EventOrder& order);

// All decisions of a thread, in its order, rounds of spins and wakes that a signal ended (it might have come
// without) included: what the thread did follows from these and from what it read.
std::vector<Decision> allDecisions(const SymbolicTrace& trace, ThreadIndex thread);

// The first of the reads that the decision is made of; of an outcome, the event.
EventRef firstReadOf(const SymbolicTrace& trace, const Decision& decision);

// Where the decision is made, in the source.
uint32_t locationOf(const SymbolicTrace& trace, const Decision& decision);

} // namespace symbiosis
