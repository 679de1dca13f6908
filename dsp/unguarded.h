#pragma once
// The lock that was forgotten. Where memory that the failure depends on is used under a lock in some critical
// sections, and without it at a moment when nothing kept another thread away, the report says so: whatever the
// schedule did, this is what lets it happen. A fact of the failing run: locksets after Savage et al., *Eraser* (1997),
// of accesses that were not ordered in that run by any synchronisation, among what the failure was computed from.
#include "dsp/diagnosis.h"

namespace symbiosis {

// Memory that the failure depends on, used in critical sections of a lock and, in somebody's way, without it.
struct Unguarded {
  EventRef bare = kNoEvent, other = kNoEvent; // by two threads at once, one of them a write; `bare` has not the lock
  EventRef guarded = kNoEvent;                // a use that has it; `other`, if that has it
  EventRef lock = kNoEvent;                   // the acquisition before `guarded`
  size_t sections = 0;                        // of the lock that use the memory
};

// Nothing: there is no such memory, or the trace is too large to look.
std::optional<Unguarded> findUnguarded(const SymbolicTrace& trace, const EventOrder& failing);

// Says it in the hint, where that does not name the lock already: in its place, if it only asks for an order of the
// events that are shown.
void sayForgottenLock(const SymbolicTrace& trace, const EventOrder& failing, Classification& classification);

} // namespace symbiosis
