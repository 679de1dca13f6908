#pragma once
// Total orders written as the sequence of threads that take the next step.
#include "trace/schedule.h"
#include <initializer_list>

namespace symbiosis::testing {

inline EventOrder byThreads(const SymbolicTrace& trace, std::initializer_list<ThreadIndex> threads) {
  std::vector<uint32_t> next(trace.threads.size());
  EventOrder order;
  for (ThreadIndex thread : threads) order.push_back(trace.threads[thread].firstEvent + next[thread]++);
  return order;
}

} // namespace symbiosis::testing
