// All interleavings of the operations of synchronisation, depth first, each state once. A state is how far each
// thread has come and whatever else the execution keeps open (who stands in a queue, rounds of a barrier).
#include "search/standstill_states.h"
#include "trace/execution.h"
#include <set>

namespace symbiosis {
namespace {

// The events that others can wait for or be stopped by, and nothing else.
struct SyncPart {
  SymbolicTrace trace;
  std::vector<EventRef> original; // by event
};

SyncPart syncPartOf(const SymbolicTrace& from) {
  SyncPart part;
  part.trace.threads = from.threads;
  part.trace.objects = from.objects;
  part.trace.failure.kind = FailureKind::none;
  for (EventRef ref = 0; ref < from.events.size(); ++ref) {
    const Event& event = from.event(ref);
    if (!isSync(event.kind) || event.synthetic || event.pending) continue;
    part.trace.events.push_back(event);
    part.trace.events.back().firstPart = part.trace.events.back().partCount = 0;
    part.original.push_back(ref);
  }
  finishThreads(part.trace);
  return part;
}

class StandstillSearch {
public:
  StandstillSearch(const SymbolicTrace& whole, size_t mostStates, std::chrono::steady_clock::time_point deadline)
      : whole_(whole), part_(syncPartOf(whole)), code_(part_.trace), state_(code_, Execution::Journal::kept),
        mostStates_(mostStates), deadline_(deadline) {}

  StandstillStates run() {
    state_.reset();
    // Depth first, without recursion: the events that were taken, and for each the thread to try next.
    std::vector<ThreadIndex> next{0};
    std::vector<EventRef> taken;
    if (enter()) visit();
    while (!next.empty() && result_.isComplete) {
      const ThreadIndex thread = next.back()++;
      if (thread == part_.trace.threads.size()) {
        next.pop_back();
        if (!taken.empty()) state_.undo(taken.back()), taken.pop_back();
        continue;
      }
      if (!canStep(thread)) continue;
      const EventRef event = state_.nextOf(thread);
      state_.step(event);
      if (!enter()) {
        state_.undo(event);
        continue;
      }
      visit();
      taken.push_back(event);
      next.push_back(0);
    }
    return std::move(result_);
  }

private:
  bool canStep(ThreadIndex thread) const {
    return !state_.isFinished(thread) && state_.isPossible(state_.nextOf(thread));
  }

  // True: the state is new.
  bool enter() {
    std::vector<uint32_t> key;
    for (ThreadIndex thread = 0; thread < part_.trace.threads.size(); ++thread)
      key.push_back(state_.position(thread));
    state_.forEachOpenChoice([&](uint32_t choice) { key.push_back(choice); });
    if (!seen_.insert(std::move(key)).second) return false;
    ++result_.visited;
    constexpr size_t kStatesBetweenLooks = 1024;
    const bool isLate = result_.visited % kStatesBetweenLooks == 0 && std::chrono::steady_clock::now() > deadline_;
    if (result_.visited > mostStates_ || isLate) result_.isComplete = false;
    return true;
  }

  // Nobody who lives can go on, but somebody lives.
  void visit() {
    bool somebodyLives = false;
    std::vector<EventRef> at;
    for (ThreadIndex thread = 0; thread < part_.trace.threads.size(); ++thread) {
      const TraceThread& whole = whole_.threads[thread];
      if (state_.isFinished(thread)) {
        at.push_back(whole.eventCount && !part_.trace.threads[thread].eventCount ? whole.firstEvent : kNoEvent);
        continue;
      }
      const EventRef event = state_.nextOf(thread);
      if (!isHeldUp(event)) return;
      somebodyLives |= part_.trace.event(event).kind != EventKind::start;
      at.push_back(part_.original[event]);
    }
    if (somebodyLives) result_.states.push_back(std::move(at));
  }

  // Whether it waits for others. That a wait may end by itself is no way on; that its time runs out is one.
  bool isHeldUp(EventRef ref) const {
    const Event& event = part_.trace.event(ref);
    if (event.kind == EventKind::wake) return !event.timed && (event.outcome != 0 || !state_.isPossible(ref));
    return (event.kind == EventKind::start || sync::canWait(event.kind)) && !state_.isPossible(ref);
  }

  const SymbolicTrace& whole_;
  const SyncPart part_;
  const CompiledTrace code_;
  Execution state_;
  const size_t mostStates_;
  const std::chrono::steady_clock::time_point deadline_;
  std::set<std::vector<uint32_t>> seen_;
  StandstillStates result_;
};

} // namespace

StandstillStates findStandstills(const SymbolicTrace& trace, size_t mostStates,
                                 std::chrono::steady_clock::time_point deadline) {
  return StandstillSearch(trace, mostStates, deadline).run();
}

} // namespace symbiosis
