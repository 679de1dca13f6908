// Theory. Only the owner of a mutex can release it, so program order alone decides which acquisition belongs
// to which release: an acquisition opens a critical section of its thread, the thread's next release of that
// mutex closes it. Whatever breaks this pairing, or the life of a thread (start first, nothing but synthetic
// releases after exit), cannot be scheduled in any order. A section that is never closed must be the last of
// its mutex.
#include "constraints/sync_structure.h"
#include <fmt/format.h>
#include <unordered_map>

namespace symbiosis {

namespace {

class SyncAnalysis {
public:
  explicit SyncAnalysis(const SymbolicTrace& trace) : trace_(trace), threads_(trace.threads.size()) {}

  SyncStructure run() {
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) readThread(thread);
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) orderStart(thread);
    for (EventRef join : joins_) orderJoin(join);
    for (const MutexUse& use : found_.mutexes) orderUnreleased(use);
    return std::move(found_);
  }

private:
  struct ThreadLife {
    EventRef start = kNoEvent, exit = kNoEvent;
    std::vector<EventRef> forks; // that create it
  };

  void contradict(EventRef event, const char* why) {
    if (found_.contradiction.empty()) found_.contradiction = fmt::format("{}: {}", trace_.describe(event), why);
  }

  void readThread(ThreadIndex thread) {
    std::unordered_map<uint32_t, size_t> open; // object -> section that this thread is in
    const TraceThread& events = trace_.threads[thread];
    for (EventRef ref = events.firstEvent; ref < events.firstEvent + events.eventCount; ++ref) {
      readLife(ref, threads_[thread]);
      readMutex(ref, open);
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
    if (event.kind == EventKind::join) joins_.push_back(ref);
  }

  void readMutex(EventRef ref, std::unordered_map<uint32_t, size_t>& open) {
    const Event& event = trace_.event(ref);
    if (event.kind != EventKind::lock && event.kind != EventKind::unlock && event.kind != EventKind::trylock)
      return;
    MutexUse& use = useOf(event.object);
    const auto section = open.find(event.object);
    if (event.kind == EventKind::unlock) {
      if (section == open.end()) return contradict(ref, "the mutex is not held by this thread");
      use.sections[section->second].release = ref;
      open.erase(section);
    } else if (event.kind == EventKind::trylock && event.outcome != 0) {
      if (section == open.end()) use.busyTrylocks.push_back(ref); // otherwise busy by itself
    } else {
      if (section != open.end()) return contradict(ref, "its thread holds the mutex already");
      open.emplace(event.object, use.sections.size());
      use.sections.push_back({event.id.thread, ref, kNoEvent});
    }
  }

  MutexUse& useOf(uint32_t object) {
    const auto [at, isNew] = useOfObject_.try_emplace(object, found_.mutexes.size());
    if (isNew) found_.mutexes.emplace_back();
    return found_.mutexes[at->second];
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
    if (exit == kNoEvent) return contradict(join, "the thread it waits for never exits");
    mustPrecede(exit, join);
  }

  void orderUnreleased(const MutexUse& use) {
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
      found_.must.push_back({before, after});
    else if (before >= after)
      contradict(after, "it waits for a later event of its own thread");
  }

  const SymbolicTrace& trace_;
  std::vector<ThreadLife> threads_;
  std::vector<EventRef> joins_;
  std::unordered_map<uint32_t, size_t> useOfObject_; // -> SyncStructure::mutexes
  SyncStructure found_;
};

} // namespace

SyncStructure analyseSync(const SymbolicTrace& trace) { return SyncAnalysis(trace).run(); }

} // namespace symbiosis
