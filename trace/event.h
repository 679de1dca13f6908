#pragma once
// An event is two integers; everything else is looked up.
#include "trace/event_kind.h"
#include <compare>
#include <cstdint>
#include <limits>

namespace symbiosis {

// Dense number of a thread in one trace, in order of creation; 0 is the main thread.
using ThreadIndex = uint32_t;

// `index` counts the points that the thread has passed (docs/glossary.md, "point"). It is the same in the
// recorder, the symbolic executor and the controlling runtime, and stable between runs.
struct EventId {
  ThreadIndex thread = 0;
  uint64_t index = 0;
  auto operator<=>(const EventId&) const = default;
};

// Position of an event in SymbolicTrace::events.
using EventRef = uint32_t;
inline constexpr EventRef kNoEvent = std::numeric_limits<EventRef>::max();
inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

} // namespace symbiosis
