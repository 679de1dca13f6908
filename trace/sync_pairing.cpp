#include "trace/sync_pairing.h"
#include "trace/sync_model.h"
#include <array>

namespace symbiosis {

namespace {

class ThreadPairing {
public:
  ThreadPairing(const SymbolicTrace& trace, std::vector<uint32_t>& participants, SyncPairing& found)
      : trace_(trace), participants_(participants), found_(found) {}

  void read(EventRef ref) {
    const Event& event = trace_.event(ref);
    const sync::Rule& rule = sync::ruleOf(event.kind);
    if (rule.argument == sync::Argument::mutex && event.mutex == kNone) return forbid(ref, "it releases no mutex");
    if (event.kind == EventKind::barrierArrive && !agrees(event))
      return forbid(ref, "the barrier has another number of participants");
    std::vector<EventRef>& opened = opened_[size_t(rule.sort)];
    switch (rule.pairs) {
    case sync::Pairs::alone: return;
    case sync::Pairs::opens:
      if (!opened.empty()) return forbid(ref, rule.unpaired);
      return opened.push_back(ref);
    case sync::Pairs::opensNested:
      if (!sync::isFailedTry(event.kind, event.outcome)) opened.push_back(ref);
      return;
    case sync::Pairs::closes:
    case sync::Pairs::closesNested: return closeLatest(opened, ref, rule.unpaired);
    }
  }

private:
  void forbid(EventRef ref, const char* why) { found_.impossible[ref] = why; }
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
  // All who arrive at a barrier say how many make a round, and say the same.
  bool agrees(const Event& arrival) {
    uint32_t& participants = participants_[arrival.object];
    if (participants == 0) participants = arrival.outcome;
    return arrival.outcome != 0 && arrival.outcome == participants;
  }

  const SymbolicTrace& trace_;
  std::vector<uint32_t>& participants_; // by object: of the first arrival seen
  SyncPairing& found_;
  std::array<std::vector<EventRef>, sync::kSorts> opened_; // by sort: what has not been closed
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
