#pragma once
// What the failure was computed from, backwards: reads of the failing check, of the decisions of the failing
// thread and of the addresses at which they looked, the writes that these got their values from, and so on.
#include "trace/evaluated_schedule.h"
#include <map>
#include <set>
#include <unordered_set>

namespace symbiosis {

class FailureSlice {
public:
  // What decides that another thread makes a write of the slice is part of it, or not.
  enum class Deciders { ofFailingThread, ofAllWriters };
  FailureSlice(const EvaluatedSchedule& run, Deciders deciders);
  const std::set<uint32_t>& cells() const { return cells_; }

private:
  void readsOf(ExprId expr);
  void decisionsOf(ThreadIndex thread, EventRef until);
  void add(EventRef event);
  void follow();

  const EvaluatedSchedule& run_;
  const SymbolicTrace& trace_;
  const Deciders deciders_;
  std::multimap<EventRef, size_t> byEvent_;    // conditions
  std::vector<std::vector<size_t>> decisions_; // conditions by thread, the latest in front: not yet in the slice
  std::unordered_set<EventRef> seen_;
  std::vector<EventRef> open_;
  std::set<uint32_t> cells_;
};

} // namespace symbiosis
