#pragma once
// The queue of a condition variable, with the choice of whom a signal reaches left open for as long as a schedule
// leaves it open. The queue is the sequence, in time, of waiters and of *credits*: a signal that is not lost
// appends one credit, a broadcast one for every waiter that has none. A credit is for somebody who stood before
// it; so there is an assignment exactly if the k-th credit has at least k waiters before it (Hall; the waiters
// that a credit may reach only grow with its position). Whoever wakes takes the first credit behind himself, which
// is of use to the fewest others, so that the rest stay assignable.
#include "trace/event.h"
#include <algorithm>
#include <vector>

namespace symbiosis {

class ConditionQueue {
public:
  void join(ThreadIndex thread, EventRef event) { entries_.push_back({thread, event}); }
  // Returns how many it reaches.
  unsigned signal(EventRef event, bool all) {
    const unsigned open = waiters() - credits(), reached = all ? open : std::min(open, 1u);
    for (unsigned i = 0; i < reached; ++i) entries_.push_back({kCredit, event});
    return reached;
  }
  bool canWakeSignalled(ThreadIndex thread) const {
    const size_t own = positionOf(thread);
    return own < entries_.size() && creditAfter(own) < entries_.size();
  }
  // Returns the signal or broadcast that it takes.
  EventRef wakeSignalled(ThreadIndex thread) {
    const size_t own = positionOf(thread), credit = creditAfter(own);
    const EventRef by = entries_[credit].event;
    entries_.erase(entries_.begin() + long(credit));
    entries_.erase(entries_.begin() + long(own));
    return by;
  }
  // By itself: only if no signal need have reached it.
  bool canWakeAlone(ThreadIndex thread) const {
    return positionOf(thread) < entries_.size() && canMiss([&](ThreadIndex waiter) { return waiter == thread; });
  }
  // Whether it may be that no signal has reached any of those for whom `missed` holds.
  template <typename Missed> bool canMiss(Missed missed) const {
    unsigned others = 0, needed = 0;
    for (const Entry& entry : entries_) {
      if (entry.thread == kCredit && ++needed > others) return false;
      if (entry.thread != kCredit && !missed(entry.thread)) ++others;
    }
    return true;
  }
  void wakeAlone(ThreadIndex thread) { entries_.erase(entries_.begin() + long(positionOf(thread))); }

  // What the future depends on.
  template <typename Visit> void forEach(Visit visit) const {
    for (const Entry& entry : entries_) visit(entry.thread);
  }
  bool isEmpty() const { return entries_.empty(); }

private:
  static constexpr ThreadIndex kCredit = kNone;
  struct Entry {
    ThreadIndex thread; // or kCredit
    EventRef event;     // the wait-begin, signal or broadcast
  };

  unsigned credits() const {
    return unsigned(std::count_if(entries_.begin(), entries_.end(), [](Entry e) { return e.thread == kCredit; }));
  }
  unsigned waiters() const { return unsigned(entries_.size()) - credits(); }
  size_t positionOf(ThreadIndex thread) const {
    size_t i = 0;
    while (i < entries_.size() && entries_[i].thread != thread) ++i;
    return i;
  }
  size_t creditAfter(size_t i) const {
    while (i < entries_.size() && entries_[i].thread != kCredit) ++i;
    return i;
  }

  std::vector<Entry> entries_;
};

} // namespace symbiosis
