#pragma once
// Updates that a schedule loses: a thread reads a cell, another one writes it, and the first writes back what it
// made of its read. A schedule that passes only because an update is lost passes by another bug.
#include "trace/schedule.h"

namespace symbiosis {

struct LostUpdate {
  EventRef read = kNoEvent, write = kNoEvent; // of one thread, not atomic
  EventRef lost = kNoEvent;                   // the last write of another thread in between
  uint32_t cell = 0;
};

class LostUpdates {
public:
  explicit LostUpdates(const SymbolicTrace& trace);
  // Those of a schedule, in the order of the writes that are lost. None for traces with more updates than can be
  // looked at in a moment.
  std::vector<LostUpdate> in(const EventOrder& order) const;
  bool isComplete() const { return isComplete_; }                    // there were not too many

private:
  struct Update {
    EventRef read = kNoEvent, write = kNoEvent;
    uint32_t cell = 0;
  };
  const SymbolicTrace& trace_;
  std::vector<Update> updates_;
  std::vector<std::vector<EventRef>> writes_; // by cell that is updated
  bool isComplete_ = true;
};

} // namespace symbiosis
