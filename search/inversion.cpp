// Departure from the paper: it moves the events of one thread only, and leaves it to the solver to refuse
// what fork and join forbid. We evaluate, so we carry along what the moved events cannot do without.
#include "search/inversion.h"
#include <cassert>

namespace symbiosis {

namespace {

EventOrder assemble(const EventOrder& order, size_t j, size_t k, const EventOrder& early, const EventOrder& late) {
  EventOrder result(order.begin(), order.begin() + ptrdiff_t(j));
  result.insert(result.end(), early.begin(), early.end());
  result.insert(result.end(), late.begin(), late.end());
  result.insert(result.end(), order.begin() + ptrdiff_t(k) + 1, order.end());
  assert(result.size() == order.size());
  return result;
}

// Walking backwards: which threads' events must come along.
struct Needs {
  std::vector<bool> thread, forkOf; // by thread
  explicit Needs(size_t threads) : thread(threads), forkOf(threads) {}
  bool take(const Event& event) {
    if (event.kind == EventKind::fork && forkOf[event.peer]) thread[event.id.thread] = true;
    if (!thread[event.id.thread]) return false;
    if (event.kind == EventKind::start) forkOf[event.id.thread] = true;
    if (event.kind == EventKind::join) thread[event.peer] = true;
    return true;
  }
};

// Walking forwards: which threads' events are held back.
struct Holds {
  std::vector<bool> thread, exitOf; // by thread
  explicit Holds(size_t threads) : thread(threads), exitOf(threads) {}
  bool take(const Event& event) {
    if (event.kind == EventKind::join && exitOf[event.peer]) thread[event.id.thread] = true;
    if (!thread[event.id.thread]) return false;
    if (event.kind == EventKind::fork) thread[event.peer] = true;
    if (event.kind == EventKind::exit) exitOf[event.id.thread] = true;
    return true;
  }
};

} // namespace

EventOrder moveEarlier(const SymbolicTrace& trace, const EventOrder& order, size_t j, size_t k) {
  assert(j < k && k < order.size());
  Needs needs(trace.threads.size());
  needs.thread[trace.threadOf(order[k])] = true;
  std::vector<bool> moved(k - j + 1);
  for (size_t i = k + 1; i-- > j;) moved[i - j] = needs.take(trace.events[order[i]]);
  if (moved[0]) return {};
  EventOrder early, late;
  for (size_t i = j; i <= k; ++i) (moved[i - j] ? early : late).push_back(order[i]);
  return assemble(order, j, k, early, late);
}

EventOrder moveLater(const SymbolicTrace& trace, const EventOrder& order, size_t j, size_t k) {
  assert(j < k && k < order.size());
  Holds holds(trace.threads.size());
  holds.thread[trace.threadOf(order[j])] = true;
  EventOrder early, late;
  bool lastHeld = false;
  for (size_t i = j; i <= k; ++i) {
    lastHeld = holds.take(trace.events[order[i]]);
    (lastHeld ? late : early).push_back(order[i]);
  }
  if (lastHeld) return {};
  return assemble(order, j, k, early, late);
}

} // namespace symbiosis
