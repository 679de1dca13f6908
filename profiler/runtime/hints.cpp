// Small tables about the program's sync objects, by a hash of their address. No library here could hold them, and
// the objects themselves belong to libc.
#include "profiler/runtime/runtime.h"

namespace symbiosis::runtime {

uint64_t releases[1 << kReleaseBits];

namespace {

struct Barrier {
  const void* object;
  uint32_t count;
};
constexpr unsigned kBarrierBits = 8;
Barrier barriers[1 << kBarrierBits];

} // namespace

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
