#include "trace/sync_pairing.h"

namespace symbiosis {

namespace {

class ThreadPairing {
public:
  ThreadPairing(const SymbolicTrace& trace, std::vector<uint32_t>& participants, SyncPairing& found)
      : trace_(trace), participants_(participants), found_(found) {}

  void read(EventRef ref) {
    const Event& event = trace_.event(ref);
    switch (event.kind) {
    case EventKind::waitBegin:
      if (event.mutex == kNone) return forbid(ref, "it releases no mutex");
      return open(wait_, ref, "its thread waits already");
    case EventKind::wake: return close(wait_, ref, "its thread does not wait for this condition");
    case EventKind::barrierArrive: return arrive(ref);
    case EventKind::barrierLeave: return close(arrival_, ref, "its thread has not arrived at this barrier");
    case EventKind::onceBegin: initialisers_.push_back(ref); return;
    case EventKind::onceEnd: return closeLatest(initialisers_, ref, "its thread does not run this initialiser");
    case EventKind::rdlock:
    case EventKind::wrlock: holds_.push_back(ref); return;
    case EventKind::tryrdlock:
    case EventKind::trywrlock:
      if (event.outcome == 0) holds_.push_back(ref);
      return;
    case EventKind::rwunlock: return closeLatest(holds_, ref, "the lock is not held by this thread");
    default: return;
    }
  }

private:
  void forbid(EventRef ref, const char* why) { found_.impossible[ref] = why; }
  void open(EventRef& slot, EventRef ref, const char* why) {
    if (slot != kNoEvent) return forbid(ref, why);
    slot = ref;
  }
  void close(EventRef& slot, EventRef ref, const char* why) {
    if (slot == kNoEvent || trace_.event(slot).object != trace_.event(ref).object) return forbid(ref, why);
    found_.partner[ref] = slot;
    found_.partner[slot] = ref;
    slot = kNoEvent;
  }
  void closeLatest(std::vector<EventRef>& opened, EventRef ref, const char* why) {
    for (size_t i = opened.size(); i-- > 0;) {
      if (trace_.event(opened[i]).object != trace_.event(ref).object) continue;
      found_.partner[ref] = opened[i];
      found_.partner[opened[i]] = ref;
      opened.erase(opened.begin() + long(i));
      return;
    }
    forbid(ref, why);
  }
  void arrive(EventRef ref) {
    const Event& event = trace_.event(ref);
    uint32_t& participants = participants_[event.object];
    if (participants == 0) participants = event.outcome;
    if (event.outcome == 0 || event.outcome != participants)
      return forbid(ref, "the barrier has another number of participants");
    open(arrival_, ref, "its thread has arrived already");
  }

  const SymbolicTrace& trace_;
  std::vector<uint32_t>& participants_; // by object: of the first arrival seen
  SyncPairing& found_;
  EventRef wait_ = kNoEvent, arrival_ = kNoEvent;
  std::vector<EventRef> holds_, initialisers_;
};

} // namespace

SyncPairing pairSync(const SymbolicTrace& trace) {
  SyncPairing found{std::vector<EventRef>(trace.events.size(), kNoEvent),
                    std::vector<const char*>(trace.events.size(), nullptr)};
  std::vector<uint32_t> participants(trace.objects.size(), 0);
  for (const TraceThread& thread : trace.threads) {
    ThreadPairing pairing(trace, participants, found);
    for (EventRef ref = thread.firstEvent; ref < thread.firstEvent + thread.eventCount; ++ref) pairing.read(ref);
  }
  return found;
}

} // namespace symbiosis
