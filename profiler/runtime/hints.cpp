// Small tables about the program's sync objects, by a hash of their address. No library here could hold them, and
// the objects themselves belong to libc.
#include "profiler/runtime/runtime.h"

namespace symbiosis::runtime {

namespace {

size_t slotOf(const void* object, unsigned bits) {
  return size_t((reinterpret_cast<uint64_t>(object) * 0x9E3779B97F4A7C15ull) >> (64 - bits));
}

// How often each lock has been acquired: a hint for the solver, so that collisions merely weaken it.
uint64_t acquisitions[1 << 12];
uint64_t releases[1 << 12]; // when it was last released

struct Barrier {
  const void* object;
  uint32_t count;
};
constexpr unsigned kBarrierBits = 8;
Barrier barriers[1 << kBarrierBits];

} // namespace

uint64_t nextAcquisition(const void* lock) {
  return __atomic_add_fetch(&acquisitions[slotOf(lock, 12)], 1, __ATOMIC_RELAXED);
}

void noteRelease(const void* lock, uint64_t when) {
  __atomic_store_n(&releases[slotOf(lock, 12)], when, __ATOMIC_RELAXED);
}

void catchUp(const void* lock) {
  const uint64_t released = __atomic_load_n(&releases[slotOf(lock, 12)], __ATOMIC_RELAXED);
  if (self && self->clock < released) self->clock = released;
}

// Open addressing; a barrier that is initialised again takes its old place.
void noteBarrier(const void* barrier, uint32_t count) {
  for (size_t i = 0, at = slotOf(barrier, kBarrierBits); i < (1 << kBarrierBits);
       ++i, at = (at + 1) % (1 << kBarrierBits)) {
    const void* empty = nullptr;
    if (__atomic_load_n(&barriers[at].object, __ATOMIC_ACQUIRE) == barrier ||
        __atomic_compare_exchange_n(&barriers[at].object, &empty, barrier, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      __atomic_store_n(&barriers[at].count, count, __ATOMIC_RELEASE);
      return;
    }
  }
}

uint32_t barrierCount(const void* barrier) {
  for (size_t i = 0, at = slotOf(barrier, kBarrierBits); i < (1 << kBarrierBits);
       ++i, at = (at + 1) % (1 << kBarrierBits)) {
    const void* object = __atomic_load_n(&barriers[at].object, __ATOMIC_ACQUIRE);
    if (object == barrier) return __atomic_load_n(&barriers[at].count, __ATOMIC_ACQUIRE);
    if (!object) break;
  }
  return 0; // initialised where nobody saw it
}

} // namespace symbiosis::runtime
