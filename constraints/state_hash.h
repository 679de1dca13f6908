#pragma once
// A number of 128 bits for what the future of a schedule depends on: where every thread stands, the memory that is
// still read, and the values that are still used. Kept up to date event by event.
#include "constraints/relevance.h"
#include "trace/execution.h"

namespace symbiosis {

struct StateKey {
  uint64_t a = 0, b = 0;
  bool operator==(const StateKey&) const = default;
  StateKey& operator^=(const StateKey& other) {
    a ^= other.a;
    b ^= other.b;
    return *this;
  }
};

struct StateKeyHash {
  size_t operator()(const StateKey& key) const { return key.a; }
};

class StateHash {
public:
  // `keepBug`: the values of the bug condition count, because nobody looks at them before the end.
  StateHash(const CompiledTrace& code, const Relevance& relevance, bool keepBug);

  void reset();
  // Around Execution::step.
  void before(EventRef event, const Execution& state);
  void after(EventRef event, Execution& state);
  // After Execution::undo; `key` is what key() was before the event.
  void undone(EventRef event, const StateKey& key);

  const StateKey& key() const { return key_; }
  // With what only some programs have.
  StateKey wholeKey(const Execution& state) const;

private:
  void touchMemory(EventRef event, const Execution& state);
  void countReads(EventRef event, int32_t sign);
  void findLifetimes(const Relevance& relevance, bool keepBug);

  const CompiledTrace& code_;
  StateKey key_;
  std::vector<int32_t> readsLeft_, initialReads_; // by cell
  // Slots that are decided at an event and used later; slots that are used for the last time at it. By event, and
  // one more.
  std::vector<uint32_t> firstBorn_, firstDead_;
  std::vector<Slot> born_, dead_;
};

} // namespace symbiosis
