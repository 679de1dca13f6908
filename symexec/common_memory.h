#pragma once
// Level `path`: what memory holds while all threads are walked together (walk_together.h), and what each of their
// loads found there. No load was logged at this level, so that is what addresses are computed with.
#include "symexec/memory.h"
#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace symbiosis {

class CommonMemory {
public:
  explicit CommonMemory(ExprPool& exprs) : memory(exprs) {}

  struct Load {
    uint64_t point = 0, address = 0, size = 0;
    size_t number = 0;    // of the load in its thread, in bytes that were loaded before
    bool isEmpty = false; // all zero, or unknown
  };
  // What the loads of a thread found, one after the other; a byte whose `known` is 0 means nothing.
  struct Found {
    std::string bytes, known;
    std::deque<Load> latest; // the last few, in order
  };

  // Before another walk.
  void reset() {
    memory.forgetAll();
    found.clear();
    written.clear();
  }
  void noteLoad(Found& by, const Load& load) {
    by.latest.push_back(load);
    if (by.latest.size() > kLatest) by.latest.pop_front();
  }
  // A value of up to 8 bytes; of each place the first few different ones are kept, if they are wanted.
  void noteWritten(uint64_t address, uint64_t size, uint64_t value) {
    if (!keepsWritten) return;
    std::vector<uint64_t>& values = written[{address, size}];
    if (values.size() < kMost && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }

  bool keepsWritten = false;
  Memory memory;                                                          // what threads have written so far
  std::map<uint32_t, Found> found;                                        // by the serial of the thread
  std::map<std::pair<uint64_t, uint64_t>, std::vector<uint64_t>> written; // address and size: by whomever
  // Thread and number of a load: what it finds, whatever is there. Stays from walk to walk.
  std::map<std::pair<uint32_t, size_t>, uint64_t> instead;

private:
  static constexpr size_t kLatest = 8, kMost = 16;
};

} // namespace symbiosis
