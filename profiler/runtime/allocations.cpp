// The lives of blocks. Instrumented code announces its own allocations and frees around the call
// (__symbiosis_allocated, __symbiosis_freed): they are points. Those that libraries make (libstdc++, libc's
// getline) come through the functions below, which everybody calls by their names. Under control they begin and
// end lives, too, and what they free is held back; but they are no points, since a thread that is stopped in the
// middle of a library may hold locks that we do not know. They belong to the point before the call in which they
// happen. Natively these functions only pass on.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/operations.h"
#include "profiler/runtime/real.h"
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

bool wasCalledByName = false; // see isCalledByName

bool noticesLibraries() {
  return controlling() && control::isHolding() && control::inControl() && !self->inOwnCall;
}

void* allocatedByLibrary(void* block, size_t size) {
  wasCalledByName = true;
  if (!block || !noticesLibraries()) return block;
  control::noteBlock(block);
  if (!recording()) return block;
  self->libraryBlock = block;
  self->libraryRecord = beginOp(EventKind::alloc, block, {.argument = size, .flags = format::kOpMarked});
  finishOp(self->libraryRecord, 0);
  return block;
}

// Returns what is to be given to libc in its place; null: nothing.
void* freedByLibrary(void* block, control::GiveBack* giveBack) {
  if (!block || !controlling() || !control::isHolding()) return block;
  if (!noticesLibraries()) return control::forgetBlock(block), block;
  if (control::isGone(block)) return control::misuse(format::HeapMisuse::doubleFree, block, false), nullptr;
  if (!control::isKnown(block)) return block;
  if (recording()) finishOp(beginOp(EventKind::free, block, {.flags = format::kOpMarked}), 0);
  return control::holdBack(block, giveBack, 0, 0);
}

void giveToLibc(void* block, uint64_t, uint64_t) {
  FIND_REAL(free);
  real(block);
}

// The allocation that has just been recorded as a library's, operator new's for example, is the program's own.
void takeFromLibrary(const void* block) {
  if (self && self->libraryRecord && self->libraryBlock == block &&
      reinterpret_cast<uint8_t*>(self->libraryRecord) + 2 * sizeof(format::OpSlot) == self->nextOp)
    forgetOp(self->libraryRecord);
  if (self) self->libraryRecord = nullptr;
}

// A new block in the place of one that is held back when it is reallocated, with what was in that.
void* movedBlock(void* block, size_t size) {
  FIND_REAL(malloc);
  void* moved = real(size);
  if (!moved) return nullptr;
  const size_t kept = malloc_usable_size(block);
  memcpy(moved, block, kept < size ? kept : size);
  return moved;
}

void noteFree(void* memory, uint8_t flags = 0) {
  if (controlling()) {
    countedPoint(EventKind::free, memory);
    control::checkFree(memory);
  }
  if (recording()) finishOp(beginOp(EventKind::free, memory, {.flags = flags}), 0);
}

} // namespace

bool symbiosis::runtime::isCalledByName() {
  using Allocate = void* (*)(size_t);
  const auto byName = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "malloc"));
  wasCalledByName = false;
  void* block = byName ? byName(1) : nullptr;
  const bool isOurs = wasCalledByName;
  using GiveBack = void (*)(void*);
  const auto giveBack = reinterpret_cast<GiveBack>(dlsym(RTLD_DEFAULT, "free"));
  if (giveBack) giveBack(block);
  return isOurs;
}

// --- what instrumented code says of its own calls ---

extern "C" void __symbiosis_allocated(void* memory, uint64_t size) {
  takeFromLibrary(memory);
  if (controlling()) {
    countedPoint(EventKind::alloc, memory);
    control::noteBlock(memory);
    if (memory && control::isLearning()) control::forgetRange(memory, size);
  }
  if (!recording()) return;
  finishOp(beginOp(EventKind::alloc, memory, {.argument = size}), 0);
}

extern "C" void* __symbiosis_freed(void* memory, control::GiveBack* giveBack, uint64_t second, uint64_t third) {
  noteFree(memory);
  return controlling() ? control::holdBack(memory, giveBack, second, third) : memory;
}

// Where freed blocks are held back, the new block is always another one, and is there before realloc is called for
// it.
extern "C" void* __symbiosis_reallocated(void* memory, uint64_t size) {
  noteFree(memory, format::kOpMoves);
  if (!memory || !controlling()) return memory;
  if (!size || !control::holdsBack(memory)) return control::forgetBlock(memory), memory;
  void* moved = movedBlock(memory, size);
  if (!moved) return memory;
  control::holdBack(memory, giveToLibc, 0, 0);
  return moved;
}

// --- what everybody calls ---

extern "C" void* malloc(size_t size) noexcept {
  FIND_REAL(malloc);
  return allocatedByLibrary(real(size), size);
}

extern "C" void* calloc(size_t count, size_t size) noexcept {
  FIND_REAL(calloc);
  return allocatedByLibrary(real(count, size), count * size);
}

extern "C" void free(void* block) noexcept {
  FIND_REAL(free);
  if (void* rest = freedByLibrary(block, giveToLibc)) real(rest);
}

extern "C" void* realloc(void* block, size_t size) noexcept {
  FIND_REAL(realloc);
  if (block && noticesLibraries() && control::isGone(block))
    return control::misuse(format::HeapMisuse::useAfterFree, block, false), nullptr;
  if (!block || !noticesLibraries() || !control::holdsBack(block)) {
    if (control::isHolding()) control::forgetBlock(block);
    return allocatedByLibrary(real(block, size), size);
  }
  void* moved = size ? movedBlock(block, size) : nullptr;
  if (size && !moved) return nullptr;
  freedByLibrary(block, giveToLibc);
  return allocatedByLibrary(moved, size);
}

extern "C" void* memalign(size_t alignment, size_t size) noexcept {
  FIND_REAL(memalign);
  return allocatedByLibrary(real(alignment, size), size);
}

extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  FIND_REAL(aligned_alloc);
  return allocatedByLibrary(real(alignment, size), size);
}

extern "C" int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  FIND_REAL(posix_memalign);
  const int result = real(block, alignment, size);
  if (result == 0) allocatedByLibrary(*block, size);
  return result;
}

extern "C" void* valloc(size_t size) noexcept {
  FIND_REAL(valloc);
  return allocatedByLibrary(real(size), size);
}
