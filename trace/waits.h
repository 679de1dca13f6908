#pragma once
// Who waits for whom at the end of a run: what every thread that waits asks for, and who has it. Program order
// alone decides that, because everything that completed has happened.
#include "trace/symbolic_trace.h"

namespace symbiosis {

struct Wait {
  struct Holder {
    ThreadIndex thread = 0;
    EventRef since = kNoEvent; // by which it came to hold what is waited for; kNoEvent: waited for is the thread
  };
  EventRef event = kNoEvent; // pending
  // A thread may be its own. A semaphore's: who else took a token and did not give it back. Empty: nobody in
  // particular, as of a condition variable.
  std::vector<Holder> holders;
};

std::vector<Wait> findWaits(const SymbolicTrace& trace);

// Waits of which each is for the thread of the next, the last for the thread of the first; empty: there is no such
// circle.
std::vector<Wait> findCircle(const SymbolicTrace& trace, const std::vector<Wait>& waits);

// True if no thread that lives can do anything but wait, and nobody waits only for a time.
bool everybodyWaits(const SymbolicTrace& trace);

// "T1 waits for b (ab.c:10 lock), which T2 has since ab.c:18".
std::string toText(const SymbolicTrace& trace, const Wait& wait);

} // namespace symbiosis
