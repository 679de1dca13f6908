#pragma once
// One vector clock per event: how many events of each thread are known to precede it.
#include "trace/symbolic_trace.h"
#include <algorithm>

namespace symbiosis {

class VectorClocks {
public:
  explicit VectorClocks(const SymbolicTrace& trace)
      : trace_(trace), counts_(trace.events.size() * trace.threads.size(), 0) {}

  bool precedes(EventRef a, EventRef b) const { return positionOf(a) < clock(b)[trace_.threadOf(a)]; }
  // `from`, and all that is known to precede it, precede `to`.
  void inherit(EventRef from, EventRef to) {
    const uint32_t* source = clock(from);
    uint32_t* target = clock(to);
    for (size_t thread = 0; thread < trace_.threads.size(); ++thread)
      target[thread] = std::max(target[thread], source[thread]);
    uint32_t& own = target[trace_.threadOf(from)];
    own = std::max(own, positionOf(from) + 1);
  }

private:
  uint32_t positionOf(EventRef event) const { // within its thread
    return event - trace_.threads[trace_.threadOf(event)].firstEvent;
  }
  uint32_t* clock(EventRef event) { return counts_.data() + size_t(event) * trace_.threads.size(); }
  const uint32_t* clock(EventRef event) const { return counts_.data() + size_t(event) * trace_.threads.size(); }

  const SymbolicTrace& trace_;
  std::vector<uint32_t> counts_; // by event, then by thread
};

} // namespace symbiosis
