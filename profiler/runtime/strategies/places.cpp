// What strategies that know something of the program ask about the places before which its threads stand.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {

Lessons lessons = {};

namespace {

bool contains(const uint64_t* places, uint32_t count, uint64_t place) {
  uint32_t low = 0;
  while (count > 0) {
    const uint32_t half = count / 2;
    if (places[low + half] < place) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return places[low] == place;
}

bool isIn(const uint64_t* places, uint32_t count, uint64_t place) {
  return count > 0 && places[count - 1] >= place && contains(places, count, place);
}

// Who will create the thread of this slot, or is its nearest ancestor that exists; null: unknown.
const ThreadState* nearestAncestor(uint32_t slot) {
  for (;;) {
    const uint32_t parent = control::parentOf(slot);
    if (parent == slot) return nullptr;
    if (const ThreadState* thread = control::threadAt(parent)) return thread;
    slot = parent;
  }
}

// At least 1: who makes more operations than expected is not left out.
uint64_t remaining(const ThreadState& thread, Expected expected) {
  const uint32_t slot = thread.control.slot;
  const uint64_t own = lessons.threads && slot < control::config.threads ? lessons.threads[slot].*expected : 0;
  return own > thread.control.walked ? own - thread.control.walked : 1;
}

} // namespace

uint64_t placeOf(const ThreadState& thread) {
  const control::Operation& pending = thread.control.pending;
  return format::placeOf(pending.kind, reinterpret_cast<uint64_t>(pending.object), pending.site,
                         thread.control.lastSite);
}

// The end of a thread may be that of the process, and what is sent is what others wait for, whatever was seen.
static bool isAlwaysNoticed(const control::Operation& pending) {
  const EventKind kind = control::kindOf(pending);
  return kind == EventKind::exit || kind == EventKind::send || pending.awaits;
}

bool isContended(const ThreadState& thread) {
  if (thread.control.isNoticed || isAlwaysNoticed(thread.control.pending)) return true;
  return lessons.contendedCount == 0 || isIn(lessons.contended, lessons.contendedCount, placeOf(thread));
}

bool isSelected(const ThreadState& thread) {
  return isIn(lessons.selected, lessons.selectedCount, placeOf(thread));
}

ThreadState* unnoticed(const Choices& choices) {
  constexpr uint32_t kPatience = 2000; // operations of one thread in a row
  static const ThreadState* last = nullptr;
  static uint32_t inARow = 0;
  ThreadState* found = choices.current && !isContended(*choices.current) ? choices.current : nullptr;
  for (uint32_t i = 0; i < choices.count && !found; ++i)
    if (!isContended(*choices.threads[i])) found = choices.threads[i];
  inARow = found == last ? inARow + 1 : 0;
  last = found;
  if (!found || inARow < kPatience) return found;
  found->control.isNoticed = true;
  return nullptr;
}

uint32_t drawByRemaining(ThreadState* const* threads, uint32_t count, Expected expected, Random& random) {
  static uint64_t weights[format::kMostControlledThreads];
  for (uint32_t i = 0; i < count; ++i) weights[i] = remaining(*threads[i], expected);
  for (uint32_t slot = 0; lessons.threads && slot < control::config.threads; ++slot) {
    const ThreadState* ancestor = control::threadAt(slot) ? nullptr : nearestAncestor(slot);
    for (uint32_t i = 0; ancestor && i < count; ++i)
      if (threads[i] == ancestor) weights[i] += lessons.threads[slot].*expected;
  }
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; ++i) all += weights[i];
  uint64_t at = random.below(all);
  uint32_t drawn = 0;
  while (at >= weights[drawn]) at -= weights[drawn++];
  return drawn;
}

} // namespace symbiosis::runtime::strategies
