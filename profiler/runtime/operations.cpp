#include "profiler/runtime/operations.h"
#include <errno.h>

namespace symbiosis::runtime {

uint64_t timestamp() { return __rdtsc(); }

static uint64_t slotsLeft(const ThreadState& thread) {
  return uint64_t(thread.ops.base + thread.ops.window - thread.nextOp) / sizeof(format::OpSlot);
}

void moreSlots(ThreadState& thread) {
  const int saved = errno;
  for (uint64_t left = slotsLeft(thread); left > 0; --left, thread.nextOp += sizeof(format::OpSlot))
    storeWord(reinterpret_cast<format::OpSlot*>(thread.nextOp)->head, format::kSkip);
  nextOpsWindow(thread);
  errno = saved;
}

void reserveSlots(uint64_t count) {
  if (!self) __symbiosis_adopt_thread();
  if (slotsLeft(*self) < count) moreSlots(*self);
}

format::OpSlot* spareSlot() {
  format::OpSlot* slot = takeSlot(*self, false, Stamp::coarse);
  storeWord(slot->head, format::kSkip);
  return slot;
}

void takeRequest(format::OpSlot* slot) {
  storeWord(slot->head, headOf(uint8_t(EventKind::semWait), uint8_t(format::OpState::done),
                               format::cancellationOf(self->serial)));
}

void notePending(uint64_t index, bool silent) {
  const ThreadState& thread = *self;
  if (!__symbiosis_path || slotsLeft(thread) < 2) return;
  auto* slot = reinterpret_cast<format::OpSlot*>(thread.nextOp);
  fillSlot(slot, thread, thread.clock);
  // A record of one slot may take the first of the two: the second is then one that has no record.
  reinterpret_cast<format::OpArgument*>(slot + 1)->argument = index << 8 | format::kSkip;
  storeWord(slot->head, headOf(format::kPending, silent ? format::kOpMarked : 0, 0));
}

format::OpSlot* beginOp(EventKind kind, const void* object, OpDetails details) {
  if (!self) __symbiosis_adopt_thread();
  ThreadState& thread = *self;
  const bool wide = format::hasArgument(uint8_t(kind));
  format::OpSlot* slot = takeSlot(thread, wide, details.stamp);
  if (wide) reinterpret_cast<format::OpArgument*>(slot + 1)->argument = details.argument;
  const uint8_t flags =
      uint8_t(uint8_t(format::OpState::intent) | details.flags | (thread.coarseSince ? format::kOpCoarse : 0));
  storeWord(slot->head, headOf(uint8_t(kind), flags, reinterpret_cast<uint64_t>(object)));
  return slot;
}

void changeKind(format::OpSlot* slot, EventKind kind) {
  storeWord(slot->head, (slot->head & ~uint64_t{0xFF}) | uint8_t(kind));
}

void finishOp(format::OpSlot* slot, int result) {
  if (result) {
    const uint8_t kept = result > 0 && result < format::kMinusOne ? uint8_t(result) : format::kMinusOne;
    storeWord(slot->when, (slot->when & ~(uint64_t{0xFF} << 56)) | uint64_t(kept) << 56);
  }
  storeWord(slot->head, (slot->head & ~(uint64_t{3} << 8)) | uint64_t(format::OpState::done) << 8);
}

void finishWait(format::OpSlot* slot, int result, Stamp stamp) {
  storeWord(slot->when, (slot->when & ~format::kOpMask) | (takeStamp(*self, stamp) & format::kOpMask));
  const uint64_t coarse = uint64_t{format::kOpCoarse} << 8;
  storeWord(slot->head, self->coarseSince ? slot->head | coarse : slot->head & ~coarse);
  finishOp(slot, result);
}

void forgetOp(format::OpSlot* slot) {
  storeWord(slot->head, 0);
  self->nextOp = reinterpret_cast<uint8_t*>(slot);
}

} // namespace symbiosis::runtime
