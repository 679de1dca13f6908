// Orderings instead of a schedule: pairs of entries, EntryType::reached and EntryType::awaits. The thread of the
// second is not granted its point `index` before the thread of the first has come to its own, or has ended; all
// else is up to the strategy. So a run has the concurrent breakpoints that `symbiosis breakpoints` would write
// into the sources (Park and Sen 2011), and what there is a time-out is here that nobody else can go on.
#include "profiler/runtime/control/control.h"

namespace symbiosis::runtime::control {
namespace {

using format::ControlEntry;
using format::EntryType;

const ControlEntry* pairs = nullptr;
uint64_t count = 0; // of entries; twice the orderings

bool isReached(const ControlEntry& entry) {
  const ThreadState* thread = threadAt(entry.thread);
  if (!thread || thread->control.phase == Phase::absent) return false;
  return thread->control.phase == Phase::finished || thread->control.pending.index >= entry.index;
}

bool standsAt(const ThreadState& thread, const ControlEntry& awaits) {
  return awaits.thread == thread.control.slot && awaits.index == thread.control.pending.index;
}

} // namespace

bool startOrderings(const ControlEntry* entries, uint64_t entryCount) {
  if (entryCount == 0 || entries[0].type != EntryType::reached) return false;
  pairs = entries;
  count = entryCount;
  return true;
}

bool mustAwait(const ThreadState& thread) {
  for (uint64_t i = 0; i + 1 < count; i += 2)
    if (standsAt(thread, pairs[i + 1]) && !isReached(pairs[i])) return true;
  return false;
}

uint64_t nextAwait(const ThreadState& thread) {
  uint64_t next = ~uint64_t{0};
  for (uint64_t i = 1; i < count; i += 2) {
    const ControlEntry& entry = pairs[i];
    if (entry.thread == thread.control.slot && entry.index > thread.control.pending.index && entry.index < next)
      next = entry.index;
  }
  return next;
}

uint64_t keptAt(const ThreadState& thread) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i + 1 < count; i += 2)
    kept += thread.control.pending.counted && standsAt(thread, pairs[i + 1]) && isReached(pairs[i]);
  return kept;
}

} // namespace symbiosis::runtime::control
