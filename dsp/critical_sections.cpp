#include "dsp/critical_sections.h"
#include "trace/sync_model.h"
#include <algorithm>

namespace symbiosis {

CriticalSections::CriticalSections(const SymbolicTrace& trace) : trace_(trace), byThread_(trace.threads.size()) {
  for (ThreadIndex t = 0; t < trace.threads.size(); ++t) {
    const TraceThread& thread = trace.threads[t];
    std::vector<LockedRegion>& sections = byThread_[t];
    for (EventRef ref = thread.firstEvent; ref < thread.firstEvent + thread.eventCount; ++ref) {
      const Event& event = trace.events[ref];
      if (sync::locks(event.kind, event.outcome))
        sections.push_back({event.object, ref, thread.firstEvent + thread.eventCount - 1, false});
      const bool waits = event.kind == EventKind::waitBegin; // which gives the mutex back
      if (!sync::unlocks(event.kind) && !waits) continue;
      const uint32_t mutex = waits ? event.mutex : event.object;
      auto open = std::find_if(sections.rbegin(), sections.rend(), [&](const LockedRegion& section) {
        return section.mutex == mutex && !section.released;
      });
      if (open == sections.rend()) continue;
      open->last = ref;
      open->released = true;
    }
  }
}

std::vector<LockedRegion> CriticalSections::around(EventRef event) const {
  std::vector<LockedRegion> result;
  for (const LockedRegion& section : byThread_[trace_.threadOf(event)])
    if (section.contains(event)) result.push_back(section);
  return result;
}

bool CriticalSections::haveLockInCommon(EventRef a, EventRef b) const {
  for (const LockedRegion& x : around(a))
    for (const LockedRegion& y : around(b))
      if (x.mutex == y.mutex) return true;
  return false;
}

} // namespace symbiosis
