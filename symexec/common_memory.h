#pragma once
// Level `path`: what memory holds while all threads are walked together (walk_together.h), and what each of their
// loads found there. No load was logged at this level, so that is what addresses are computed with.
#include "symexec/memory.h"
#include <map>
#include <optional>
#include <string>

namespace symbiosis {

class CommonMemory {
public:
  explicit CommonMemory(ExprPool& exprs) : memory(exprs) {}

  // What the loads of a thread found, one after the other; a byte whose `known` is 0 means nothing.
  struct Found {
    std::string bytes, known;
  };
  // A load of a pointer that found none.
  struct Missing {
    uint64_t point = 0, address = 0;
  };

  void reset() {
    memory.forgetAll();
    found.clear();
    lastEmpty.clear();
  }

  Memory memory;                         // what threads have written so far
  std::map<uint32_t, Found> found;       // by the serial of the thread
  std::map<uint32_t, Missing> lastEmpty; // of each thread
};

} // namespace symbiosis
