#pragma once
// The critical sections of a trace: what each thread does between acquiring a mutex and releasing it.
#include "trace/symbolic_trace.h"
#include <vector>

namespace symbiosis {

struct LockedRegion {
  uint32_t mutex = kNone;                     // object
  EventRef first = kNoEvent, last = kNoEvent; // the acquisition and the release, of one thread
  bool released = true;                       // false: the trace has no release; `last` is the thread's last event
  bool contains(EventRef event) const { return first <= event && event <= last; }
};

class CriticalSections {
public:
  explicit CriticalSections(const SymbolicTrace& trace);

  // Those that contain `event` (their own acquisition and release included), in order of acquisition.
  std::vector<LockedRegion> around(EventRef event) const;
  bool haveLockInCommon(EventRef a, EventRef b) const;
  const std::vector<LockedRegion>& ofThread(ThreadIndex thread) const { return byThread_[thread]; }

private:
  const SymbolicTrace& trace_;
  std::vector<std::vector<LockedRegion>> byThread_;
};

} // namespace symbiosis
