#include "constraints/must_order.h"

namespace symbiosis {

// Kahn's algorithm; an event hands its clock on when its last predecessor has been seen.
MustOrder::MustOrder(const SymbolicTrace& trace, std::span<const OrderEdge> must) : clocks_(trace) {
  const size_t count = trace.events.size();
  std::vector<std::vector<EventRef>> successors(count);
  std::vector<uint32_t> missing(count, 0); // predecessors not seen yet
  auto link = [&](EventRef before, EventRef after) {
    successors[before].push_back(after);
    ++missing[after];
  };
  for (EventRef ref = 1; ref < count; ++ref)
    if (trace.threadOf(ref - 1) == trace.threadOf(ref)) link(ref - 1, ref);
  for (const OrderEdge& edge : must) link(edge.before, edge.after);

  std::vector<EventRef> ready;
  for (EventRef ref = 0; ref < count; ++ref)
    if (missing[ref] == 0) ready.push_back(ref);
  size_t seen = 0;
  for (; !ready.empty(); ++seen) {
    const EventRef event = ready.back();
    ready.pop_back();
    for (EventRef next : successors[event]) {
      clocks_.inherit(event, next);
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  acyclic_ = seen == count;
}

} // namespace symbiosis
