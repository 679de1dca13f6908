#pragma once
// What the walks of all threads of a recording have in common, and what can go wrong in them.
#include "symexec/common_memory.h"
#include "symexec/lives.h"
#include "symexec/names.h"
#include "symexec/observed_values.h"
#include "symexec/plan.h"
#include "symexec/sharing.h"
#include "symexec/symexec.h"
#include "symexec/unknowns.h"
#include "symexec/uses_before_free.h"
#include <stdexcept>

namespace symbiosis {

// The path cannot be followed further because of our own limits; caught in this room.
struct ExecutionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The recording does not have what is needed; the message says how to record more.
struct NotRecorded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How the recorded run ended, as far as its threads have to know it.
struct RunEnd {
  // The run failed by its exit status: the one that a passing run has.
  std::optional<int> expectedExit = {};
  std::optional<int> passedWith = {};             // it passed, with this status
  const format::FailureRecord* failure = nullptr; // of the recording, if it has one
  uint64_t failureTime = ~uint64_t{0};            // when its thread noted it; the others may have gone on
  const format::OpRecord* freed = nullptr;        // by which the memory that faulted was given back, if it was
  const format::OpRecord* allocated = nullptr;    // … and by which it had been allocated
  bool isWaiting = false; // the failure is that threads wait: what they wait for becomes pending events
};

struct WalkContext {
  const Snapshot& snapshot;
  const AddressMap& addresses;
  Planner& planner;
  ExprPool& exprs;
  Memory& initial; // of the globals
  NameFinder& names;
  Sharing& sharing;
  SymexecStats& stats;
  const HeapLives& lives;
  UsesBeforeFree& uses;
  RunEnd end = {};
  format::Level recorded = format::Level::full; // what the logs have …
  format::Level level = format::Level::full;    // … and what of it is used
  bool discovering = true;                      // first walk: note accesses; second walk: make events
  bool keepsMarks = false;                      // in the second walk
  Unknowns unknowns{exprs};
  CommonMemory common{exprs}; // level `path`
  bool isLong = false; // only what some order of the threads decides is made an event or expression (Sharing)
  Memory early{exprs}; // second walk of a long run: what was there when other threads began, if not `initial`
  ObservedValues observed{exprs};
  uint32_t symbols = 0; // made so far
  // Accesses that may be at several places of their object (targets.h).
  bool pinned = false;                          // all stay where they were
  size_t selections = 0;                        // places of such accesses so far
  bool mayTouchMore = false;                    // than was known when this walk began: walk again
  std::map<uint64_t, uint64_t> stackSlots = {}; // of all threads: address, size of the largest

  // What a thread finds where it has not written; a byte that nobody knows is zero.
  Scalar firstValue(uint64_t address, unsigned size) {
    if (early.knows(address, size)) return early.load(address, size);
    Scalar value = initial.load(address, size);
    for (unsigned i = 0; i < size; ++i)
      if (early.knows(address + i, 1)) {
        const uint64_t byte = early.load(address + i, 1).bits << (8 * i);
        value.bits = (value.bits & ~(uint64_t{0xff} << (8 * i))) | byte;
      }
    return value;
  }
  bool hasFirstValue(uint64_t address) const {
    return addresses.hasFirstValue(address) || early.knows(address, 1);
  }

  // `observed`: what was read, if that is known.
  uint32_t newSymbol(std::optional<uint64_t> value) {
    observed.add(value);
    return symbols++;
  }
  // Before the threads are walked again to make events: nothing of the walk before counts.
  void forgetSymbols() {
    exprs = ExprPool();
    unknowns.reset();
    observed.reset();
    symbols = 0;
    selections = 0;
    mayTouchMore = false;
  }
};

} // namespace symbiosis
