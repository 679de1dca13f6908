#pragma once
// Writing the records of wrapped calls (trace/format.h, OpSlot). Inline, because what a record of a lock costs is
// mostly the instructions that keep the processor from running ahead into the program's own loads, and after that
// the memory that it fills. A record counts from the moment at which its first word is there, which is written
// last.
#include "profiler/runtime/failures.h"
#include "profiler/runtime/runtime.h"
#include <x86intrin.h>

namespace symbiosis::runtime {

inline void storeWord(uint64_t& word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }

// Never later than now: an operation takes longer than one tick. Once a thread has failed it matters which
// operations of the others came after that.
inline uint64_t takeStamp(ThreadState& thread, Stamp stamp) {
  // Reading the counter waits for the program's loads, for hundreds of cycles. After thousands of operations the
  // order of a few dozen matters less than that.
  const uint32_t most = thread.ops.fileOffset == 0 ? 16 : 64;
  if (stamp == Stamp::coarse && ++thread.coarseSince < most && !anyHasFailed()) return ++thread.clock;
  thread.coarseSince = 0;
  const uint64_t now = __rdtsc();
  return thread.clock = now > thread.clock ? now : thread.clock + 1;
}

inline uint64_t headOf(uint8_t kind, uint8_t flags, uint64_t object) {
  return object << 16 | uint64_t(flags) << 8 | kind;
}

// Of the calling thread, whose state this is: index of the current word, and in the lowest 6 bits the bits in it.
inline uint64_t pathPosition(const ThreadState& thread) {
  const uint64_t bytes =
      thread.path.fileOffset + uint64_t(reinterpret_cast<uint8_t*>(__symbiosis_path) - thread.path.base);
  return bytes << 3 | (63 - uint64_t(__builtin_clzll(*__symbiosis_path | 1)));
}

inline void fillSlot(format::OpSlot* slot, const ThreadState& thread, uint64_t stamp) {
  const uint64_t site = __symbiosis_site;
  slot->where = site << format::kOpBits | pathPosition(thread);
  slot->when = (site >> 16) << format::kOpBits | (stamp & format::kOpMask);
}

// The next record of `thread`, all of it but the head. `wide`: with an argument.
inline format::OpSlot* takeSlot(ThreadState& thread, bool wide, Stamp stamp) {
  if (__builtin_expect(thread.nextOp + (sizeof(format::OpSlot) << wide) > thread.ops.base + thread.ops.window, 0))
    moreSlots(thread);
  auto* slot = reinterpret_cast<format::OpSlot*>(thread.nextOp);
  thread.nextOp += sizeof *slot << wide;
  fillSlot(slot, thread, takeStamp(thread, stamp));
  return slot;
}

// Of an operation without an argument that is done, or as good as done.
inline format::OpSlot* recordDone(ThreadState& thread, EventKind kind, const void* object, Stamp stamp) {
  format::OpSlot* slot = takeSlot(thread, false, stamp);
  const uint8_t flags = uint8_t(uint8_t(format::OpState::done) | (thread.coarseSince ? format::kOpCoarse : 0));
  storeWord(slot->head, headOf(uint8_t(kind), flags, reinterpret_cast<uint64_t>(object)));
  return slot;
}

} // namespace symbiosis::runtime
