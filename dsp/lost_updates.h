#pragma once
// Updates that a schedule loses: a thread reads a cell, another one writes it, and the first writes back what it made
// of its read. A schedule that passes only because an update is lost passes by another bug.
#include "trace/schedule.h"

namespace symbiosis {

class LostUpdates {
public:
  explicit LostUpdates(const SymbolicTrace& trace);
  // How many there are in a schedule. 0 for traces with more updates than can be looked at in a moment.
  size_t in(const EventOrder& order) const;

private:
  struct Update {
    EventRef read = kNoEvent, write = kNoEvent; // of one thread, not atomic
    uint32_t cell = 0;
  };
  const SymbolicTrace& trace_;
  std::vector<Update> updates_;
  std::vector<std::vector<EventRef>> writes_; // by cell
};

} // namespace symbiosis
