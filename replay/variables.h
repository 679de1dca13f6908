#pragma once
// The program's variables, as far as runs have shown them: sets of contended places at which the same memory, or
// the same lock, was accessed. The elements of an array that one loop goes through are one variable.
#include "replay/run_lessons.h"

namespace symbiosis {

class Variables {
public:
  void learn(const RunLessons& lessons);
  // Each place of each variable; in an order that depends on what was learnt and on nothing else.
  std::vector<std::vector<uint64_t>> all() const;
  const std::map<uint64_t, PlaceUse>& places() const { return places_; }

private:
  uint64_t find(uint64_t place) const; // who stands for its variable

  std::map<uint64_t, PlaceUse> places_;
  mutable std::map<uint64_t, uint64_t> above_; // towards who stands for the variable; itself: it does
};

} // namespace symbiosis
