// Freed blocks are held back, so that a use of one is noticed at the use itself: neither libc nor another object
// of the program writes there, and the memory is known to be gone.
//
// A byte for each 16 bytes of the address space says what is there (the shadow; libc's blocks begin at multiples
// of 16, so that no two blocks share one). The gate in front of each access looks at it (gates.cpp): five
// instructions. Blocks are known from the calls that the program and its libraries make (allocations.cpp).
//
// Which blocks are held depends on the order of events alone: first in, first out, bounded in bytes and in number.
// So a replay gives out the same addresses. A program with an allocator of its own holds nothing back.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/failures.h"
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

extern "C" {
extern const char __executable_start[] __attribute__((weak, visibility("hidden")));
extern const char _end[] __attribute__((weak, visibility("hidden")));
__attribute__((visibility("hidden"))) uint8_t* __symbiosis_shadow = nullptr; // null: nothing is held back
}

namespace symbiosis::runtime::control {
namespace {

// Where the program's own mappings never lie; 2^47 addresses, 16 to a byte.
constexpr uintptr_t kShadowAddress = 0x200000000000;
constexpr size_t kShadowSize = size_t{1} << 43;
constexpr uintptr_t kRingAddress = 0x100030000000;
constexpr size_t kGranule = 16;
enum Mark : uint8_t { kNothing = 0, kGone = 1, kBegin = 2 }; // gates.cpp knows kGone

struct Held {
  void* block;
  size_t size;
  GiveBack* giveBack;
  uint64_t second, third; // its other arguments
};
Held* ring = nullptr;
uint64_t first = 0, behind = 0; // of those that are held; modulo kMostHeldBlocks
uint64_t heldBytes = 0;

uint64_t mostHeldBytes() { return uint64_t{config.heldMegabytes} << 20; }

uint8_t& markOf(const void* address) {
  return __symbiosis_shadow[(reinterpret_cast<uintptr_t>(address) & ((uintptr_t{1} << 47) - 1)) / kGranule];
}

bool isOfLibc(const char* name, const char* own) { return dlsym(RTLD_NEXT, name) == dlsym(RTLD_DEFAULT, own); }

void* mapAt(uintptr_t address, size_t size) {
  void* memory = mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, size, MADV_NOHUGEPAGE);
  madvise(memory, size, MADV_DONTDUMP);
  return memory;
}

void releaseOldest() {
  const Held held = ring[first++ % format::kMostHeldBlocks];
  heldBytes -= held.size;
  memset(&markOf(held.block), kNothing, (held.size + kGranule - 1) / kGranule);
  ++status->givenBack;
  held.giveBack(held.block, held.second, held.third);
}

// No block that libc could have given out.
bool isNoBlock(const void* address) {
  if (reinterpret_cast<uintptr_t>(address) % kGranule) return true;
  return &__executable_start && address >= __executable_start && address < _end;
}

} // namespace

void startHolding() {
  if (!config.heldMegabytes) return;
  status->holding = format::Holding::ownAllocator;
  if (!isCalledByName() || !isOfLibc("malloc", "__libc_malloc") || !isOfLibc("free", "__libc_free")) return;
  status->holding = format::Holding::noMemory;
  ring = static_cast<Held*>(mapAt(kRingAddress, format::kMostHeldBlocks * sizeof *ring));
  auto* shadow = ring ? static_cast<uint8_t*>(mapAt(kShadowAddress, kShadowSize)) : nullptr;
  if (!shadow) return;
  status->holding = format::Holding::on;
  __symbiosis_shadow = shadow;
}

bool isHolding() { return __symbiosis_shadow; }

bool isGone(const void* address) { return __symbiosis_shadow && markOf(address) == kGone; }

void noteBlock(const void* block) {
  if (__symbiosis_shadow && block) markOf(block) = kBegin;
}

bool isKnown(const void* block) { return __symbiosis_shadow && block && markOf(block) == kBegin; }

void forgetBlock(const void* block) {
  if (isKnown(block)) markOf(block) = kNothing;
}

bool holdsBack(const void* block) {
  if (!inControl() || !isKnown(block)) return false;
  return malloc_usable_size(const_cast<void*>(block)) <= mostHeldBytes();
}

void* holdBack(void* block, GiveBack* giveBack, uint64_t second, uint64_t third) {
  if (!holdsBack(block)) return forgetBlock(block), block;
  const size_t size = malloc_usable_size(block);
  while (heldBytes + size > mostHeldBytes() || behind - first == format::kMostHeldBlocks) releaseOldest();
  ring[behind++ % format::kMostHeldBlocks] = {block, size, giveBack, second, third};
  heldBytes += size;
  memset(&markOf(block), kGone, (size + kGranule - 1) / kGranule);
  return nullptr;
}

void misuse(format::HeapMisuse what, const void* address, bool inBody) {
  if (!inControl()) return;
  if (anyHasFailed() && !hasFailed(self)) {
    if (isLingering()) neverGoOn();
    return;
  }
  failBy(what, address, inBody);
}

void checkFree(const void* block) {
  if (!__symbiosis_shadow || !block) return;
  if (isGone(block)) misuse(format::HeapMisuse::doubleFree, block, false);
  if (isNoBlock(block)) misuse(format::HeapMisuse::invalidFree, block, false);
}

} // namespace symbiosis::runtime::control

using namespace symbiosis;
using namespace symbiosis::runtime;

// The gate has found that the access is to memory that is gone.
extern "C" void __symbiosis_gone(const void* address, uint32_t kind, uint32_t) {
  if (!(kind & format::kRangeAccess)) control::misuse(format::HeapMisuse::useAfterFree, address, true);
}

// Before something that touches a range, or none if it is empty: where it begins tells which block it is in.
extern "C" void __symbiosis_touches(const void* address, uint64_t size) {
  if (size && control::inControl() && control::isLearning())
    control::learnRange(address, size, self->control.learnedAt);
  if (size && control::isGone(address)) control::misuse(format::HeapMisuse::useAfterFree, address, true);
}
