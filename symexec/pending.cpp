#include "symexec/pending.h"
#include "symexec/symexec.h"
#include "trace/sync_model.h"
#include <algorithm>
#include <map>
#include <set>

namespace symbiosis {

bool canWait(EventKind kind) { return sync::canWait(kind); }

bool isAcquisition(EventKind kind) { return sync::canWait(kind) || sync::ruleOf(kind).tries; }

bool endsWaiting(const ThreadLog& thread) {
  return !thread.ops.empty() && thread.ops.back().state == format::OpState::intent &&
         canWait(EventKind(thread.ops.back().kind));
}

namespace {

// What is left of everything that completed.
struct Remains {
  std::set<uint64_t> heldMutexes, runningInitialisers;
  std::set<uint32_t> exited;          // serials
  std::map<uint64_t, int64_t> tokens; // of semaphores
  struct Holds {
    int64_t reading = 0, writing = 0;
  };
  std::map<uint64_t, Holds> rwlocks;

  void add(const ThreadEvents& thread, uint32_t serial) {
    heldMutexes.insert(thread.heldMutexes.begin(), thread.heldMutexes.end());
    std::vector<const RawEvent*> holds;
    for (const RawEvent& event : thread.events)
      if (!event.pending) addEvent(event, serial, holds);
    for (const RawEvent* hold : holds) {
      const bool writes = hold->kind == EventKind::wrlock || hold->kind == EventKind::trywrlock;
      ++(writes ? rwlocks[hold->address].writing : rwlocks[hold->address].reading);
    }
  }
  void addEvent(const RawEvent& event, uint32_t serial, std::vector<const RawEvent*>& holds) {
    switch (event.kind) {
    case EventKind::exit: exited.insert(serial); break;
    case EventKind::onceBegin: runningInitialisers.insert(event.address); break;
    case EventKind::onceEnd: runningInitialisers.erase(event.address); break;
    case EventKind::semInit: tokens[event.address] += event.outcome; break;
    case EventKind::semPost: ++tokens[event.address]; break;
    case EventKind::semWait:
    case EventKind::semTrywait: tokens[event.address] -= event.outcome == 0; break;
    case EventKind::rdlock:
    case EventKind::wrlock:
    case EventKind::tryrdlock:
    case EventKind::trywrlock:
      if (event.outcome == 0) holds.push_back(&event);
      break;
    case EventKind::rwunlock: {
      const auto last = std::find_if(holds.rbegin(), holds.rend(),
                                     [&](const RawEvent* hold) { return hold->address == event.address; });
      if (last != holds.rend()) holds.erase(std::next(last).base());
      break;
    }
    default: break;
    }
  }
  bool canGoOn(const RawEvent& event) {
    switch (event.kind) {
    case EventKind::lock: return heldMutexes.count(event.address) == 0;
    case EventKind::join: return exited.count(event.peerSerial) != 0;
    case EventKind::rdlock: return rwlocks[event.address].writing == 0;
    case EventKind::wrlock: return rwlocks[event.address].writing == 0 && rwlocks[event.address].reading == 0;
    case EventKind::semWait: return tokens[event.address] > 0;
    case EventKind::oncePass: return runningInitialisers.count(event.address) == 0;
    default: return false; // that depends on the order of events
    }
  }
};

} // namespace

void dropThoseWhoCouldGoOn(std::vector<ThreadEvents>& threads, const std::vector<uint32_t>& serials) {
  Remains remains;
  for (size_t t = 0; t < threads.size(); ++t) remains.add(threads[t], serials[t]);
  for (ThreadEvents& thread : threads)
    if (!thread.events.empty() && thread.events.back().pending && remains.canGoOn(thread.events.back()))
      thread.events.pop_back();
}

} // namespace symbiosis
