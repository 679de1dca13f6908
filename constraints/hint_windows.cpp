#include "constraints/hint_windows.h"
#include <algorithm>

namespace symbiosis {

std::vector<uint64_t> hintsOf(const SymbolicTrace& trace) {
  std::vector<uint64_t> hints(trace.events.size(), 0);
  bool any = false;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    any = any || trace.event(ref).timestamp != 0;
    hints[ref] = trace.event(ref).timestamp;
    if (ref > 0 && trace.threadOf(ref - 1) == trace.threadOf(ref))
      hints[ref] = std::max(hints[ref], hints[ref - 1]);
  }
  return any ? hints : std::vector<uint64_t>{};
}

// The first holds about eight events, the last half of the run.
std::vector<uint64_t> windowWidths(const std::vector<uint64_t>& hints) {
  constexpr uint64_t kFirstEvents = 8, kWiden = 8;
  std::vector<uint64_t> widths;
  if (hints.empty()) return widths;
  uint64_t first = UINT64_MAX, last = 0;
  for (uint64_t hint : hints)
    if (hint > 0) first = std::min(first, hint), last = std::max(last, hint);
  const uint64_t range = last - first;
  for (uint64_t width = std::max<uint64_t>(1, range / hints.size() * kFirstEvents); width < range / 2;
       width *= kWiden)
    widths.push_back(width);
  return widths;
}

// An event without a hint comes before all that have one, for all we know. Pending events never happened.
std::vector<OrderEdge> windowEdges(const SymbolicTrace& trace, const std::vector<uint64_t>& hints,
                                   uint64_t width) {
  std::vector<OrderEdge> edges;
  for (const TraceThread& from : trace.threads)
    for (const TraceThread& to : trace.threads) {
      if (&from == &to) continue;
      EventRef earlier = from.firstEvent;
      const EventRef end = from.firstEvent + from.eventCount;
      for (EventRef later = to.firstEvent; later < to.firstEvent + to.eventCount; ++later) {
        const EventRef before = earlier;
        while (earlier < end && hints[earlier] + width < hints[later] && !trace.event(earlier).synthetic)
          ++earlier;
        if (earlier == before || trace.event(later).pending) continue;
        if (hints[earlier - 1] > 0) edges.push_back({earlier - 1, later});
      }
    }
  return edges;
}

} // namespace symbiosis
