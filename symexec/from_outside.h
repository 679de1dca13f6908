#pragma once
// What functions outside have made of values that depend on other threads, and where they may have put it. Nobody
// knows how they computed it. So as soon as somebody reads such a place, the values that it was made of are fixed
// to what they were; what is overwritten before that fixes nothing.
#include "symexec/scalars.h"

namespace symbiosis {

class FromOutside {
public:
  FromOutside(ScalarMath& math, EventMaker& events) : math_(math), events_(events) {}

  struct Made {
    std::vector<Range> ranges; // where it may be; empty: it is in use already
    std::vector<Scalar> from;
    std::string by;        // the function, for people
    bool ofShared = false; // and of shared memory that it has read without an event
  };
  void add(Made made);
  bool empty() const { return made_.empty(); }
  // Before the bytes are used.
  void isRead(uint64_t address, uint64_t size) {
    if (!made_.empty()) fixWhatIsRead(address, size);
  }
  // Everything that was made and lies in the range altogether is gone.
  void forget(Range range);

private:
  void fixSources(const Made& made);
  void fixWhatIsRead(uint64_t address, uint64_t size);

  ScalarMath& math_;
  EventMaker& events_;
  std::vector<Made> made_; // that has not been read, oldest first
};

} // namespace symbiosis
