#pragma once
// Uses of a block that come before another thread frees it. A `free` touches no byte, so memory that only one
// thread accesses is private to it although another one frees it; but what the thread does there must come before
// that.
//
// That a block is alive holds from one use back to all earlier ones, so of the uses that a thread makes between
// two of its events the last one stands for all (EventMaker::addUse): however large a block is, it adds no more
// events than there are already. Such a use reads the life cell of the block (lives.h) and finds it alive; the
// `free` is an event that writes it.
//
// Nothing is asked of uses that fork and join keep before the `free` in every schedule, nor of those of which it
// is not certain that they came before it: the order in which a controlled run was granted tells exactly, the time
// stamps of a native one often do.
#include "symexec/lives.h"
#include <set>
#include <utility>

namespace symbiosis {

class UsesBeforeFree {
public:
  UsesBeforeFree(const Recording& recording, const HeapLives& lives);

  // Where a thread stands in its walk.
  struct Standing {
    uint32_t serial = 0;
    uint64_t points = 0;
    size_t operations = 0;                           // of its log, taken so far
    uint64_t notBefore = 0, notAfter = ~uint64_t{0}; // timestamps
  };

  // False: the address is in no block that is freed.
  bool mayHold(uint64_t address) const {
    return !places_.empty() && address >= places_.front().begin && address < places_.back().end;
  }

  // --- first walk ---
  void noteUse(const Standing& thread, uint64_t address);
  void noteOperation(const format::OpRecord& record, const Standing& thread); // an allocation or a `free`

  // --- second walk ---
  // The life of which the use is to say that it was not over; null: there is none.
  const Life* lifeAt(const Standing& thread, uint64_t address) const;
  // The life that it ended is one of these.
  bool isAsked(const format::OpRecord& freed) const { return asked_.contains(&freed); }
  void settle(); // between the two

private:
  struct Freed {
    const Life* life = nullptr;
    size_t by = 0, position = 0;              // thread that ended it, and in its operations
    uint64_t begins = 0, ends = ~uint64_t{0}; // in the granted order
  };
  struct Use {
    size_t thread = 0;
    size_t operations = 0; // that it had made at its last use
  };
  // Addresses at which blocks overlap.
  struct Place {
    uint64_t begin = 0, end = 0;
    std::vector<Freed> freed;
    std::vector<Use> uses;
  };
  void collect(const HeapLives& lives);
  void collectThreads();
  const Place* placeOf(uint64_t address) const;
  Place* placeOf(uint64_t address) { return const_cast<Place*>(std::as_const(*this).placeOf(address)); }
  uint64_t granted(const Standing& thread) const;
  bool isControlled() const { return !recording_.granted.empty(); }
  // The life may have begun when the thread stood there; it certainly had not ended.
  bool isBehindBegin(const Freed& freed, const Standing& thread, uint64_t when) const;
  bool isBeforeEnd(const Freed& freed, const Standing& thread, uint64_t when) const;
  bool isOrdered(const Freed& freed, const Use& use) const;

  const Recording& recording_;
  std::vector<Place> places_;          // ascending
  std::map<uint32_t, size_t> threads_; // by serial
  // By thread: how many points it had passed at each entry of the granted order that is its own, and the entry.
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> passed_;
  std::map<const format::OpRecord*, uint64_t> grantedAt_;  // of allocations and frees
  std::map<uint32_t, size_t> forkedAt_;                    // by serial of the child, in its parent's operations
  std::map<std::pair<size_t, uint32_t>, size_t> joinedAt_; // by thread and serial of the one that it joined
  std::set<const format::OpRecord*> asked_;
};

} // namespace symbiosis
