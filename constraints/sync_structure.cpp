// Theory. Only the owner of a mutex can release it, so program order alone decides which acquisition belongs
// to which release: an acquisition opens a critical section of its thread, the thread's next release of that
// mutex closes it. Whatever breaks this pairing, or the life of a thread (start first, nothing but synthetic
// releases after exit), cannot be scheduled in any order. A section that is never closed must be the last of
// its mutex.
#include "constraints/sync_structure.h"
#include "trace/sync_pairing.h"
#include <fmt/format.h>
#include <unordered_map>

namespace symbiosis {

namespace {

class SyncAnalysis {
public:
  explicit SyncAnalysis(const SymbolicTrace& trace)
      : trace_(trace), everything_(TraceEnd(trace).looksAtEverything()), pairing_(pairSync(trace)),
        threads_(trace.threads.size()) {}

  SyncStructure run() {
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) readThread(thread);
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) orderStart(thread);
    for (EventRef join : joins_) orderJoin(join);
    for (const MutexUse& use : found_.mutexes) orderUnreleased(use);
    for (const auto& [object, once] : initialisers_)
      if (everything_)
        orderInitialiser(once);
      else
        found_.initialisers.push_back(once);
    return std::move(found_);
  }

private:
  struct ThreadLife {
    EventRef start = kNoEvent, exit = kNoEvent;
    std::vector<EventRef> forks; // that create it
  };

  void contradict(EventRef event, const char* why) {
    if (!everything_) return found_.neverHappen.push_back(event);
    if (found_.contradiction.empty()) found_.contradiction = fmt::format("{}: {}", trace_.describe(event), why);
  }

  void readThread(ThreadIndex thread) {
    std::unordered_map<uint32_t, size_t> open; // object -> section that this thread is in
    std::unordered_map<uint32_t, HeldByThread> held;
    const TraceThread& events = trace_.threads[thread];
    for (EventRef ref = events.firstEvent; ref < events.firstEvent + events.eventCount; ++ref) {
      readLife(ref, threads_[thread]);
      if (pairing_.impossible[ref]) contradict(ref, pairing_.impossible[ref]);
      if (trace_.event(ref).pending) {
        if (trace_.event(ref).bystander)
          found_.neverHappen.push_back(ref);
        else
          readPending(ref);
        continue;
      }
      readMutex(ref, open);
      readRwLock(ref, held);
      readOthers(ref);
    }
  }

  void readPending(EventRef ref) {
    const Event& event = trace_.event(ref);
    switch (event.kind) {
    case EventKind::lock: useOf(useOfMutex_, found_.mutexes, event.object).pending.push_back(ref); break;
    case EventKind::wake: useOf(useOfMutex_, found_.mutexes, event.mutex).pending.push_back(ref); break;
    case EventKind::rdlock: useOf(useOfRwLock_, found_.rwlocks, event.object).pendingReaders.push_back(ref); break;
    case EventKind::wrlock: useOf(useOfRwLock_, found_.rwlocks, event.object).pendingWriters.push_back(ref); break;
    case EventKind::semWait: useOf(useOfSemaphore_, found_.semaphores, event.object).pending.push_back(ref); break;
    case EventKind::join: joins_.push_back(ref); break;
    case EventKind::oncePass: initialisers_[event.object].pending.push_back(ref); break;
    default: break; // a departure belongs to its arrival
    }
  }

  void readLife(EventRef ref, ThreadLife& life) {
    const Event& event = trace_.event(ref);
    const bool isStart = event.kind == EventKind::start;
    if (isStart != (life.start == kNoEvent)) contradict(ref, "a thread starts once, with its first event");
    if (life.exit != kNoEvent && !event.synthetic) contradict(ref, "its thread has exited");
    if (isStart) life.start = ref;
    if (event.kind == EventKind::exit && life.exit == kNoEvent) life.exit = ref;
    if (event.kind == EventKind::fork) threads_[event.peer].forks.push_back(ref);
    if (event.kind == EventKind::join && !event.pending) joins_.push_back(ref);
  }

  void readMutex(EventRef ref, std::unordered_map<uint32_t, size_t>& open) {
    const Event& event = trace_.event(ref);
    if (event.kind != EventKind::lock && event.kind != EventKind::unlock && event.kind != EventKind::trylock &&
        event.kind != EventKind::waitBegin)
      return;
    const uint32_t object = event.kind == EventKind::waitBegin ? event.mutex : event.object;
    if (object == kNone) return;
    MutexUse& use = useOf(useOfMutex_, found_.mutexes, object);
    const auto section = open.find(object);
    if (event.kind == EventKind::unlock || event.kind == EventKind::waitBegin) {
      if (section == open.end()) return contradict(ref, "the mutex is not held by this thread");
      use.sections[section->second].release = ref;
      open.erase(section);
    } else if (event.kind == EventKind::trylock && event.outcome != 0) {
      if (section == open.end()) use.busyTrylocks.push_back(ref); // otherwise busy by itself
    } else {
      if (section != open.end()) return contradict(ref, "its thread holds the mutex already");
      open.emplace(object, use.sections.size());
      use.sections.push_back({event.id.thread, ref, kNoEvent});
    }
  }

  using Numbers = std::unordered_map<uint32_t, size_t>; // object -> place in a list of uses

  template <typename Use> static Use& useOf(Numbers& numbers, std::vector<Use>& uses, uint32_t object) {
    const auto [at, isNew] = numbers.try_emplace(object, uses.size());
    if (isNew) uses.emplace_back().object = object;
    return uses[at->second];
  }

  struct HeldByThread {
    unsigned reading = 0, writing = 0;
  };

  void readRwLock(EventRef ref, std::unordered_map<uint32_t, HeldByThread>& held) {
    const Event& event = trace_.event(ref);
    const bool reads = event.kind == EventKind::rdlock || event.kind == EventKind::tryrdlock;
    const bool writes = event.kind == EventKind::wrlock || event.kind == EventKind::trywrlock;
    if (!reads && !writes && event.kind != EventKind::rwunlock) return;
    RwLockUse& use = useOf(useOfRwLock_, found_.rwlocks, event.object);
    HeldByThread& own = held[event.object];
    if (event.kind == EventKind::rwunlock) {
      const EventRef acquire = pairing_.partner[ref];
      if (acquire == kNoEvent) return;
      const EventKind kind = trace_.event(acquire).kind;
      --(kind == EventKind::wrlock || kind == EventKind::trywrlock ? own.writing : own.reading);
      return;
    }
    const bool busy =
        event.outcome != 0 && (event.kind == EventKind::tryrdlock || event.kind == EventKind::trywrlock);
    if (busy) {
      if (own.writing || (writes && own.reading)) return; // by itself
      if (own.reading) return contradict(ref, "its thread holds the lock, so that nobody writes");
      (writes ? use.busyWriters : use.busyReaders).push_back(ref);
      return;
    }
    if (own.writing || (writes && own.reading)) return contradict(ref, "its thread holds the lock already");
    use.holds.push_back({{event.id.thread, ref, pairing_.partner[ref]}, writes});
    ++(writes ? own.writing : own.reading);
  }

  bool isDeciding(EventRef event) const {
    return event != kNoEvent && trace_.event(event).pending && !trace_.event(event).bystander;
  }

  void readOthers(EventRef ref) {
    const Event& event = trace_.event(ref);
    const EventRef partner = pairing_.partner[ref];
    auto condition = [&]() -> ConditionUse& { return useOf(useOfCondition_, found_.conditions, event.object); };
    auto semaphore = [&]() -> SemaphoreUse& { return useOf(useOfSemaphore_, found_.semaphores, event.object); };
    auto futex = [&]() -> FutexUse& { return useOf(useOfFutex_, found_.futexes, event.object); };
    switch (event.kind) {
    case EventKind::waitBegin:
      condition().waits.push_back({ref, partner, partner != kNoEvent && trace_.event(partner).outcome != 0,
                                   isDeciding(partner), event.mutex});
      break;
    case EventKind::signal: condition().signals.push_back(ref); break;
    case EventKind::broadcast: condition().broadcasts.push_back(ref); break;
    case EventKind::semInit: semaphore().sources.push_back({ref, event.outcome}); break;
    case EventKind::semPost: semaphore().sources.push_back({ref, 1}); break;
    case EventKind::semWait: semaphore().takes.push_back(ref); break;
    case EventKind::semTrywait:
      (event.outcome == 0 ? semaphore().takes : semaphore().failedTries).push_back(ref);
      break;
    case EventKind::barrierArrive: {
      BarrierUse& use = useOf(useOfBarrier_, found_.barriers, event.object);
      use.participants = event.outcome;
      use.visits.push_back({ref, partner, isDeciding(partner)});
      break;
    }
    case EventKind::futexWait:
      if (isDeciding(partner)) futex().waits.push_back({ref, partner});
      break;
    case EventKind::futexWake: futex().wakes.push_back(ref); break;
    case EventKind::onceBegin: initialisers_[event.object].begins.push_back(ref); break;
    case EventKind::onceEnd: initialisers_[event.object].ends.push_back(ref); break;
    case EventKind::oncePass: initialisers_[event.object].passes.push_back(ref); break;
    default: break;
    }
  }

  void orderInitialiser(const OnceUse& once) {
    if (once.begins.size() > 1) contradict(once.begins[1], "the initialiser has run already");
    for (EventRef pass : once.passes) {
      if (once.ends.empty()) return contradict(pass, "nobody finishes the initialiser");
      mustPrecede(once.ends.back(), pass);
    }
  }

  void orderStart(ThreadIndex thread) {
    ThreadLife& life = threads_[thread];
    if (thread == 0 || life.start == kNoEvent) return; // the main thread exists from the beginning
    if (life.forks.empty()) contradict(life.start, "no event creates its thread");
    if (life.forks.size() == 1) mustPrecede(life.forks[0], life.start);
    if (life.forks.size() > 1) found_.starts.push_back({life.start, life.forks});
  }

  void orderJoin(EventRef join) {
    const EventRef exit = threads_[trace_.event(join).peer].exit;
    if (trace_.event(join).pending) return found_.pendingJoins.push_back({join, exit});
    if (exit == kNoEvent) return contradict(join, "the thread it waits for never exits");
    mustPrecede(exit, join);
  }

  void orderUnreleased(const MutexUse& use) {
    if (!everything_) return;
    for (const CriticalSection& last : use.sections) {
      if (last.release != kNoEvent) continue;
      for (const CriticalSection& other : use.sections) {
        if (other.thread == last.thread) continue;
        if (other.release == kNoEvent) return contradict(last.acquire, "another thread never releases the mutex");
        mustPrecede(other.release, last.acquire);
      }
    }
  }

  void mustPrecede(EventRef before, EventRef after) {
    if (trace_.threadOf(before) != trace_.threadOf(after))
      (everything_ ? found_.must : found_.mustIfHappens).push_back({before, after});
    else if (before >= after)
      contradict(after, "it waits for a later event of its own thread");
  }

  const SymbolicTrace& trace_;
  const bool everything_; // is looked at, so it happens
  const SyncPairing pairing_;
  std::vector<ThreadLife> threads_;
  std::vector<EventRef> joins_;
  Numbers useOfMutex_, useOfRwLock_, useOfCondition_, useOfSemaphore_, useOfBarrier_, useOfFutex_;
  std::unordered_map<uint32_t, OnceUse> initialisers_; // by object
  SyncStructure found_;
};

} // namespace

std::vector<OrderEdge> allMust(const SyncStructure& sync) {
  std::vector<OrderEdge> all = sync.must;
  all.insert(all.end(), sync.mustIfHappens.begin(), sync.mustIfHappens.end());
  return all;
}

SyncStructure analyseSync(const SymbolicTrace& trace) { return SyncAnalysis(trace).run(); }

} // namespace symbiosis
