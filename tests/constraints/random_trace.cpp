#include "random_trace.h"
#include "trace_drafts.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace symbiosis::testing {

namespace {

constexpr uint32_t kCells = 3, kMutexes = 2;
constexpr uint32_t kSyncObject = 2 + kMutexes; // objects 0 and 1 are memory, then the mutexes

class Generator : TraceDrafts {
public:
  Generator(std::mt19937& random, unsigned bodyEvents, Sync sync, Ends ends)
      : TraceDrafts(random), budget_(bodyEvents), sync_(sync), waits_(ends == Ends::waiting) {}

  SymbolicTrace run() {
    makeObjects();
    if (sync_ == Sync::all) makeSyncObject();
    drafts_.resize(2 + (chance(40) ? 1 : 0) + (chance(20) ? 1 : 0));
    failingThread_ = below(uint32_t(drafts_.size()));
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) add(thread, EventKind::start);
    for (ThreadIndex child = 1; child < drafts_.size(); ++child)
      add(chance(80) ? 0 : child - 1, EventKind::fork).event.peer = child;
    while (budget_ > drafts_.size()) addStep(below(uint32_t(drafts_.size())));
    for (ThreadIndex thread = uint32_t(drafts_.size()); thread-- > 0;) endThread(thread);
    assemble();
    if (waits_) {
      const std::vector<EventRef> pending = trace_.pendingEvents();
      trace_.failure.kind = FailureKind::deadlock;
      if (!pending.empty()) trace_.failure.event = pending.front();
      for (EventRef ref : pending) trace_.events[ref].bystander = ref != pending.front() && chance(20);
    }
    chooseConditions(waits_ ? std::vector<ExprId>{} : randomBug());
    return std::move(trace_);
  }

private:
  void makeObjects() {
    // One object of two cells, which may be accessed together, and one of a single wider cell.
    trace_.objects = {{ObjectKind::global, "global:pair", "pair", 2}, {ObjectKind::global, "global:x", "x", 4}};
    trace_.cells = {{0, 0, 1, kNoExpr}, {0, 1, 1, kNoExpr}, {1, 0, 4, kNoExpr}};
    for (Cell& cell : trace_.cells) cell.initial = exprs().constant(below(2), cell.size * 8u);
    if (chance(15)) { // an initial value that nobody knows, or that was observed
      trace_.symbols.push_back({.width = 8, .event = kNoEvent, .observed = {}});
      if (chance(50)) trace_.symbols[0].observed = 1;
      trace_.cells[0].initial = exprs().symbol(0, 8);
    }
    for (uint32_t m = 0; m < kMutexes; ++m)
      trace_.objects.push_back({ObjectKind::global, fmt::format("global:m{}", m), fmt::format("m{}", m), 40});
  }

  void makeSyncObject() {
    trace_.objects.push_back({ObjectKind::global, "global:s", "s", 40});
    const uint32_t family = below(11);
    family_ = family == 10 ? 5 : family % 5; // futexes have the fewest cases
  }

  void addStep(ThreadIndex thread) {
    --budget_;
    const uint32_t dice = below(100);
    if (sync_ == Sync::all && chance(5)) return addBusyTry(thread);
    if (sync_ == Sync::all && chance(65)) return addSync(thread);
    if (dice < 35)
      addAccess(thread, EventKind::read);
    else if (dice < 70)
      addAccess(thread, EventKind::write);
    else if (dice < 80)
      addAccess(thread, EventKind::rmw);
    else
      addMutexOperation(thread);
  }

  // One sort of sync object per trace, so that operations meet.
  void addSync(ThreadIndex thread) {
    const uint32_t object = kSyncObject;
    Draft* draft = nullptr;
    switch (family_) {
    case 0: return addConditionOperation(thread);
    case 1: return addRwOperation(thread);
    case 2:
      if (thread == 0 && !semaphoreIsMade_) {
        semaphoreIsMade_ = true;
        draft = &add(thread, EventKind::semInit);
        draft->event.outcome = below(3);
      } else {
        constexpr EventKind kKinds[] = {EventKind::semPost, EventKind::semPost, EventKind::semWait,
                                        EventKind::semTrywait};
        draft = &add(thread, kKinds[below(4)]);
        if (draft->event.kind == EventKind::semTrywait) draft->event.outcome = chance(50) ? 0 : 11;
      }
      draft->event.object = object;
      return;
    case 3: { // mostly a whole round, so that several can follow each other
      const uint32_t count = chance(70) ? participants() : 1;
      for (uint32_t i = 0; i < count; ++i) addVisit((thread + i) % uint32_t(drafts_.size()));
      if (count > 2) budget_ = std::min(budget_, drafts_.size()); // more would be too many to enumerate
      return;
    }
    case 5: add(thread, EventKind::futexWake).event.object = object; return;
    default:
      if (!onceHasBegun_ || chance(3)) {
        onceHasBegun_ = true;
        add(thread, EventKind::onceBegin).event.object = object;
        if (chance(50)) addAccess(thread, EventKind::write);
        if (chance(95)) add(thread, EventKind::onceEnd).event.object = object;
      } else
        add(thread, EventKind::oncePass).event.object = object;
    }
  }

  void addVisit(ThreadIndex thread) {
    Draft& arrival = add(thread, EventKind::barrierArrive);
    arrival.event.object = kSyncObject;
    arrival.event.outcome = participants();
    if (!chance(8)) add(thread, EventKind::barrierLeave).event.object = kSyncObject; // or stays for ever
  }

  void addConditionOperation(ThreadIndex thread) {
    std::vector<uint32_t>& held = heldBy(thread);
    const uint32_t mutex = 2;
    const auto at = std::find(held.begin(), held.end(), mutex);
    if (at == held.end() && chance(60)) {
      const bool all = chance(25);
      add(thread, all ? EventKind::broadcast : EventKind::signal).event.object = kSyncObject;
      return;
    }
    if (at == held.end()) {
      add(thread, EventKind::lock).event.object = mutex;
      held.push_back(mutex);
    }
    Draft& begin = add(thread, EventKind::waitBegin);
    begin.event.object = kSyncObject;
    begin.event.mutex = mutex;
    Draft& wake = add(thread, EventKind::wake);
    wake.event.object = kSyncObject;
    wake.event.outcome = chance(25) ? 110 : 0;
    add(thread, EventKind::lock).event.object = mutex;
  }

  void addRwOperation(ThreadIndex thread) {
    unsigned& holds = rwHolds_[thread];
    constexpr EventKind kKinds[] = {EventKind::rdlock, EventKind::wrlock, EventKind::tryrdlock,
                                    EventKind::trywrlock};
    const bool releases = holds > 0 && chance(70);
    Draft& draft = add(thread, releases || chance(2) ? EventKind::rwunlock : kKinds[below(4)]);
    draft.event.object = kSyncObject;
    if (draft.event.kind == EventKind::rwunlock) {
      holds -= holds > 0;
      return;
    }
    if (draft.event.kind == EventKind::tryrdlock || draft.event.kind == EventKind::trywrlock)
      draft.event.outcome = chance(60) ? 16 : 0;
    holds += draft.event.outcome == 0;
  }

  void addAccess(ThreadIndex thread, EventKind kind) {
    Draft& draft = add(thread, kind);
    const uint32_t cell = chance(60) ? 0 : below(kCells);
    draft.event.object = trace_.cells[cell].object;
    draft.parts.push_back({.cell = cell, .symbol = kNone, .written = kNoExpr});
    if (cell == 0 && chance(30)) draft.parts.push_back({.cell = 1, .symbol = kNone, .written = kNoExpr});
    fillParts(thread, draft);
    if (kind != EventKind::write && chance(35)) draft.conditions.push_back(randomTest(thread));
  }

  // A lock, or the release of one that is held; acquisition may be by trylock, and a trylock may find it
  // busy.
  void addMutexOperation(ThreadIndex thread) {
    const uint32_t mutex = 2 + (chance(70) ? 0 : below(kMutexes)); // objects 0 and 1 are memory
    std::vector<uint32_t>& held = heldBy(thread);
    const auto at = std::find(held.begin(), held.end(), mutex);
    if (chance(at == held.end() && isUsedByOther(thread, mutex) ? 40 : 3)) {
      Draft& draft = add(thread, EventKind::trylock);
      draft.event.object = mutex;
      draft.event.outcome = 16;
    } else if (at != held.end()) {
      held.erase(at);
      add(thread, EventKind::unlock).event.object = mutex;
    } else {
      held.push_back(mutex);
      add(thread, chance(25) ? EventKind::trylock : EventKind::lock).event.object = mutex;
    }
  }

  // A thread holds the second mutex, and another one finds it so.
  void addBusyTry(ThreadIndex thread) {
    const uint32_t mutex = 3;
    const ThreadIndex other = (thread + 1) % uint32_t(drafts_.size());
    for (ThreadIndex one : {thread, other})
      if (std::find(heldBy(one).begin(), heldBy(one).end(), mutex) != heldBy(one).end()) return;
    add(thread, EventKind::lock).event.object = mutex;
    add(thread, EventKind::unlock).event.object = mutex;
    Draft& draft = add(other, EventKind::trylock);
    draft.event.object = mutex;
    draft.event.outcome = 16;
  }

  bool isUsedByOther(ThreadIndex thread, uint32_t mutex) const {
    for (ThreadIndex other = 0; other < drafts_.size(); ++other)
      for (const Draft& draft : drafts_[other])
        if (other != thread && draft.event.object == mutex) return true;
    return false;
  }

  void endThread(ThreadIndex thread) {
    if (waits_) return endWaiting(thread);
    const bool fails = thread == failingThread_;
    for (unsigned& holds = rwHolds_[thread]; holds > 0 && !chance(8); --holds)
      add(thread, EventKind::rwunlock).event.object = kSyncObject;
    if (thread == 0 && drafts_.size() > 1 && chance(30)) add(0, EventKind::join).event.peer = 1;
    if (fails && chance(80)) addAccess(thread, EventKind::read);
    // The process may also end in a thread's exit, with a status that is not the expected one.
    if (fails)
      add(thread, sync_ == Sync::all && chance(15) ? EventKind::exit : EventKind::failure).isFailure = true;
    std::vector<uint32_t>& held = heldBy(thread);
    while (!held.empty() && !chance(10)) {
      Draft& draft = add(thread, EventKind::unlock);
      draft.event.object = held.back();
      draft.event.synthetic = fails || chance(50);
      held.pop_back();
    }
    const bool hasTail = !fails && chance(35);
    if (hasTail && chance(60)) addTest(thread);
    if (!fails && (chance(50) || thread == 1)) add(thread, EventKind::exit);
    if (hasTail) markTail(thread, 1 + below(3));
  }

  // Ends by itself, or waits for something that another thread may have, or for something random.
  void endWaiting(ThreadIndex thread) {
    std::vector<uint32_t>& held = heldBy(thread);
    while (!held.empty() && chance(25)) {
      add(thread, EventKind::unlock).event.object = held.back();
      held.pop_back();
    }
    for (unsigned& holds = rwHolds_[thread]; holds > 0 && chance(40); --holds)
      add(thread, EventKind::rwunlock).event.object = kSyncObject;
    if (chance(thread == failingThread_ ? 0 : 40)) {
      if (chance(70)) add(thread, EventKind::exit);
      return;
    }
    if (sync_ == Sync::all && chance(70)) return waitForSyncObject(thread);
    if (chance(15) && drafts_.size() > 1) {
      Draft& draft = add(thread, EventKind::join);
      draft.event.peer = (thread + 1) % uint32_t(drafts_.size());
      draft.event.pending = true;
      return;
    }
    Draft& draft = add(thread, EventKind::lock);
    draft.event.object = 2 + below(kMutexes);
    draft.event.pending = true;
  }

  void waitForSyncObject(ThreadIndex thread) {
    Draft* draft = nullptr;
    switch (family_) {
    case 0: {
      std::vector<uint32_t>& held = heldBy(thread);
      if (std::find(held.begin(), held.end(), 2) == held.end()) add(thread, EventKind::lock).event.object = 2;
      std::erase(held, 2);
      draft = &add(thread, EventKind::waitBegin);
      draft->event.object = kSyncObject;
      draft->event.mutex = 2;
      draft = &add(thread, EventKind::wake);
      draft->event.mutex = 2;
      break;
    }
    case 1: draft = &add(thread, chance(50) ? EventKind::rdlock : EventKind::wrlock); break;
    case 2: draft = &add(thread, EventKind::semWait); break;
    case 3:
      draft = &add(thread, EventKind::barrierArrive);
      draft->event.object = kSyncObject;
      draft->event.outcome = participants();
      draft = &add(thread, EventKind::barrierLeave);
      break;
    case 5:
      add(thread, EventKind::futexWait).event.object = kSyncObject;
      draft = &add(thread, EventKind::futexWoken);
      break;
    default: draft = &add(thread, EventKind::oncePass);
    }
    draft->event.object = kSyncObject;
    draft->event.pending = true;
  }

  // Of the barrier; with three threads and more, a round may be of all or of some.
  uint32_t participants() {
    if (participants_ == 0) participants_ = drafts_.size() > 2 && chance(70) ? 3 : 2;
    return participants_;
  }

  // A read whose value decides the path.
  void addTest(ThreadIndex thread) {
    addAccess(thread, EventKind::read);
    drafts_[thread].back().conditions.assign(1, randomTest(thread));
  }

  std::vector<ExprId> randomBug() {
    std::vector<ExprId> bug;
    for (uint32_t i = 0, count = chance(10) ? 0 : 1 + below(2); i < count; ++i)
      bug.push_back(randomTest(chance(80) ? failingThread_ : below(uint32_t(drafts_.size()))));
    return bug;
  }

  std::vector<uint32_t>& heldBy(ThreadIndex thread) { return held_.resize(drafts_.size()), held_[thread]; }

  size_t budget_;
  const Sync sync_;
  const bool waits_;
  uint32_t family_ = 0;       // which sort of sync object
  uint32_t participants_ = 0; // 0: not chosen yet
  bool semaphoreIsMade_ = false, onceHasBegun_ = false;
  std::map<ThreadIndex, unsigned> rwHolds_;
  ThreadIndex failingThread_ = 0;
  std::vector<std::vector<uint32_t>> held_;
};

} // namespace

SymbolicTrace randomTrace(std::mt19937& random, unsigned bodyEvents, Sync sync, Ends ends) {
  return Generator(random, bodyEvents, sync, ends).run();
}

} // namespace symbiosis::testing
