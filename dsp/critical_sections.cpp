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
      if (!sync::unlocks(event.kind)) continue;
      auto open = std::find_if(sections.rbegin(), sections.rend(), [&](const LockedRegion& section) {
        return section.mutex == event.object && !section.released;
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

} // namespace symbiosis
