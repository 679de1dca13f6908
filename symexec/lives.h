#pragma once
// The lives of heap blocks: each begins with an `alloc` record and ends with the `free` record of the same address
// that comes next in time. This file owns what is known of them; it answers which block an address is in, whether
// it was alive at a moment, and who ended it. Objects of the trace are made of lives (objects.cpp), since two
// lives at one address are two objects.
//
// That a block is alive is memory like any other to the solver: a *life cell*, which is 1 from the allocation on
// and 0 from the `free` on. Both write it, a use of the block reads it; "the block was used when it was gone" is
// then the condition that the use read 0. A `free` is a use, too: of two frees each reads what the other writes.
//
// A block that realloc enlarges where it is lives on.
#include "symexec/thread_events.h"
#include "trace/recording.h"
#include <map>

namespace symbiosis {

// Bytes from `begin` on.
struct Range {
  uint64_t begin = 0, size = 0; // size 0: not known
  bool holds(uint64_t address) const { return address - begin < size; }
};

struct Life {
  size_t thread = 0;    // that began it, in Recording::threads
  uint64_t ordinal = 0; // of that thread's allocations, or of those that libraries made in it, from 1
  Range block;          // at least one byte
  uint64_t begin = 0, end = ~uint64_t{0}; // timestamps; ~0: it was never ended
  const format::OpRecord *allocated = nullptr, *freed = nullptr;
};

class HeapLives {
public:
  explicit HeapLives(const Recording& recording);

  const std::vector<Life>& all() const { return lives_; } // by thread, and in its order

  // The last that this lock, condition variable … was destroyed before the time; null: it was not.
  const Life* destroyedBefore(uint64_t object, uint64_t time) const;

  // The largest block that ever began at the nearest address at or below this one; size 0: it does not hold it.
  Range blockAt(uint64_t address) const;
  // The life that held the address at this time or, if none did, the last that had; null: there was none.
  const Life* lastAt(uint64_t address, uint64_t time) const;

private:
  std::vector<Life> lives_;
  std::vector<Life> destroyed_;          // objects that may be used again when they have been initialised
  std::map<uint64_t, uint64_t> largest_; // by address: size
};

// The life that had ended of the block in which the recorded signal found no memory; null: there is none.
const Life* endedBeforeFault(const HeapLives& lives, const format::FailureRecord& failure, uint64_t time);

// The parts of the events that begin, end and look at the life of the block of this `alloc` or `free` record.
RawPart beginOfLife(ExprPool& exprs, const format::OpRecord& allocated);
RawPart endOfLife(ExprPool& exprs, const format::OpRecord& freed);
RawPart lookAtLife(uint32_t symbol, const format::OpRecord& freed);
RawPart findAlive(uint32_t symbol, const format::OpRecord& freed, bool isAsked);
ExprId isOver(ExprPool& exprs, uint32_t symbol); // what `lookAtLife` read says that the block is gone

} // namespace symbiosis
