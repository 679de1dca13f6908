#include "disciplined_trace.h"
#include "all_interleavings.h"
#include "trace_drafts.h"
#include <algorithm>
#include <iterator>

namespace symbiosis::testing {

namespace {

enum Object : uint32_t { kX, kY, kConstant, kFirstMutex, kSecondMutex, kCondition, kRwLock, kSemaphore, kObjects };
constexpr uint32_t kSharedCells = 2; // cells have the numbers of their objects; nobody writes the third
constexpr uint32_t kBusy = 16, kAgain = 11, kTimedOut = 110;

struct Hold {
  EventKind release = EventKind::unlock;
  uint32_t object = kFirstMutex;
};

class Generator : TraceDrafts {
public:
  Generator(std::mt19937& random, Discipline discipline) : TraceDrafts(random), discipline_(discipline) {}

  SymbolicTrace run() {
    makeObjects();
    drafts_.resize(chance(discipline_ == Discipline::conditionVariable ? 35 : 65) ? 2 : 3);
    failingThread_ = below(uint32_t(drafts_.size()));
    mayForget_ = chance(30);
    if (chance(50)) relay_ = 1 + below(2);
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) add(thread, EventKind::start);
    if (usesSemaphore()) operation(0, EventKind::semInit, kSemaphore, chance(60) ? 1 : below(3));
    for (ThreadIndex child = 1; child < drafts_.size(); ++child) add(0, EventKind::fork).event.peer = child;
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) makeThread(thread);
    assemble();
    chooseConditions({}, 10);
    trace_.failure.bug = chance(90) ? variedBug() : randomBug();
    return std::move(trace_);
  }

private:
  void makeObjects() {
    for (const char* name : {"x", "y", "constant", "m", "n", "condition", "rwlock", "semaphore"})
      trace_.objects.push_back({ObjectKind::global, std::string("global:") + name, name, 1});
    for (uint32_t object : {kX, kY, kConstant})
      trace_.cells.push_back({object, 0, 1, exprs().constant(below(2), 8)});
    const bool isShared = discipline_ == Discipline::severalVariables || chance(40);
    mutexOf_[kX] = kFirstMutex;
    mutexOf_[kY] = isShared ? kFirstMutex : kSecondMutex;
  }

  bool usesSemaphore() const { return discipline_ == Discipline::semaphore || discipline_ == Discipline::mixed; }

  void makeThread(ThreadIndex thread) {
    const bool fails = thread == failingThread_, isLittle = drafts_.size() > 2;
    const bool signals = thread == 0 && discipline_ == Discipline::conditionVariable; // or nobody would
    // The main thread of three mostly creates the others.
    const uint32_t least = signals || (!fails && !(thread == 0 && isLittle)) ? 1 : 0;
    const uint32_t blocks = fails ? std::max(least, below(2)) : least + (chance(isLittle ? 10 : 35) ? 1 : 0);
    for (uint32_t i = 0; i < blocks; ++i) makeBlock(thread);
    if (fails) return makeFailure(thread);
    const bool isJoined = thread == 1 && failingThread_ == 0 && joined_;
    if (isJoined || chance(15)) add(thread, EventKind::exit);
    if (!isJoined && chance(40)) markTail(thread, 1 + below(5));
  }

  void makeBlock(ThreadIndex thread) {
    if (chance(6)) tryInVain(thread);
    if (chance(8)) return makeNeutralSection(thread);
    constexpr size_t kPlain = std::size(kDisciplines) - 1; // all but mixed
    switch (discipline_ == Discipline::mixed ? kDisciplines[below(kPlain)] : discipline_) {
    case Discipline::guarded: return makeSection(thread, below(kSharedCells), 1 + below(2));
    case Discipline::checkThenAct: return makeCheckThenAct(thread);
    case Discipline::nested: return makeNested(thread);
    case Discipline::severalVariables: return makeSeveral(thread);
    case Discipline::conditionVariable: return makeConditionUse(thread);
    case Discipline::readerWriter: return makeReadersAndWriters(thread);
    case Discipline::semaphore: return makeSemaphoreUse(thread);
    case Discipline::mixed: break;
    }
  }

  // The check that fails, in a section of its own; the lock is released only in other schedules.
  void makeFailure(ThreadIndex thread) {
    const bool forgets = forget();
    const uint32_t cell = below(kSharedCells);
    joined_ = thread == 0 && chance(15); // thread 1 comes later and exits
    if (joined_) add(0, EventKind::join).event.peer = 1;
    Hold hold;
    if (!forgets) hold = acquireFor(thread, cell, true);
    access(thread, cell, EventKind::read);
    if (chance(25)) access(thread, below(kSharedCells), EventKind::read);
    const bool releasesFirst = chance(30);
    if (!forgets && releasesFirst) release(thread, hold);
    add(thread, EventKind::failure);
    if (forgets || releasesFirst || chance(8)) return;
    release(thread, hold);
    drafts_[thread].back().event.synthetic = true;
  }

  std::vector<ExprId> randomBug() {
    std::vector<ExprId> bug;
    for (uint32_t i = 0, count = chance(75) ? 1 : 2; i < count; ++i)
      bug.push_back(randomTest(chance(88) ? failingThread_ : below(uint32_t(drafts_.size()))));
    return bug;
  }

  // One that holds in some schedules of the path and not in others, if a few tries find one.
  std::vector<ExprId> variedBug() {
    constexpr size_t kBugs = 12, kSchedules = 12;
    std::vector<std::vector<ExprId>> bugs(kBugs);
    for (std::vector<ExprId>& bug : bugs) bug = randomBug();
    Evaluator evaluator(trace_);
    std::vector<size_t> holds(kBugs, 0);
    size_t schedules = 0;
    for (size_t i = 0; i < kSchedules; ++i) {
      const EventOrder order = randomInterleaving(trace_, random_);
      if (order.empty()) continue;
      ++schedules;
      evaluator.run(order);
      for (size_t j = 0; j < kBugs; ++j)
        holds[j] +=
            std::all_of(bugs[j].begin(), bugs[j].end(), [&](ExprId expr) { return evaluator.value(expr) != 0; });
    }
    const auto varied = std::find_if(holds.begin(), holds.end(), [&](size_t n) { return n > 0 && n < schedules; });
    return bugs[varied == holds.end() ? 0 : size_t(varied - holds.begin())];
  }

  // Once in some traces.
  bool forget() {
    if (!mayForget_ || !chance(40)) return false;
    mayForget_ = false;
    return true;
  }

  void operation(ThreadIndex thread, EventKind kind, uint32_t object, uint32_t outcome = 0) {
    Draft& draft = add(thread, kind);
    draft.event.object = object;
    draft.event.outcome = outcome;
  }

  void access(ThreadIndex thread, uint32_t cell, EventKind kind) {
    Draft& draft = add(thread, kind);
    draft.event.object = cell;
    draft.parts.push_back({.cell = cell, .symbol = kNone, .written = kNoExpr});
    fillParts(thread, draft);
    if (kind != EventKind::write && chance(30)) draft.conditions.push_back(randomTest(thread));
  }
  void accessSomehow(ThreadIndex thread, uint32_t cell) {
    constexpr EventKind kKinds[] = {EventKind::read, EventKind::write, EventKind::write, EventKind::rmw};
    access(thread, cell, kKinds[below(4)]);
  }
  void test(ThreadIndex thread, uint32_t cell) {
    access(thread, cell, EventKind::read);
    drafts_[thread].back().conditions.assign(1, randomTest(thread));
  }

  Hold acquire(ThreadIndex thread, EventKind kind, EventKind tryKind, Hold hold) {
    operation(thread, chance(12) ? tryKind : kind, hold.object);
    return hold;
  }
  Hold acquireMutex(ThreadIndex thread, uint32_t mutex) {
    return acquire(thread, EventKind::lock, EventKind::trylock, {EventKind::unlock, mutex});
  }
  Hold acquireRwLock(ThreadIndex thread, bool reads) {
    const Hold hold{EventKind::rwunlock, kRwLock};
    return reads ? acquire(thread, EventKind::rdlock, EventKind::tryrdlock, hold)
                 : acquire(thread, EventKind::wrlock, EventKind::trywrlock, hold);
  }
  Hold acquireSemaphore(ThreadIndex thread) {
    return acquire(thread, EventKind::semWait, EventKind::semTrywait, {EventKind::semPost, kSemaphore});
  }
  Hold acquireFor(ThreadIndex thread, uint32_t cell, bool reads) {
    const uint32_t dice = below(100);
    if (discipline_ == Discipline::readerWriter && dice < 80) return acquireRwLock(thread, reads);
    if (discipline_ == Discipline::semaphore && dice < 50) return acquireSemaphore(thread);
    return acquireMutex(thread, mutexOf_[cell]);
  }
  void release(ThreadIndex thread, const Hold& hold) { operation(thread, hold.release, hold.object); }
  // Now and then nobody releases.
  void releaseMostly(ThreadIndex thread, const Hold& hold) {
    if (!chance(2)) release(thread, hold);
  }

  void makeSection(ThreadIndex thread, uint32_t cell, uint32_t accesses) {
    if (forget()) return accessSomehow(thread, cell);
    const Hold hold = acquireMutex(thread, mutexOf_[cell]);
    for (uint32_t i = 0; i < accesses; ++i) accessSomehow(thread, cell);
    releaseMostly(thread, hold);
  }

  // Nothing in it concerns others, but for those who find the lock taken.
  void makeNeutralSection(ThreadIndex thread) {
    const Hold hold = acquireMutex(thread, kFirstMutex);
    if (chance(60)) access(thread, kConstant, EventKind::read);
    release(thread, hold);
  }

  void tryInVain(ThreadIndex thread) {
    if (discipline_ == Discipline::readerWriter)
      return operation(thread, chance(50) ? EventKind::tryrdlock : EventKind::trywrlock, kRwLock, kBusy);
    if (discipline_ == Discipline::semaphore) return operation(thread, EventKind::semTrywait, kSemaphore, kAgain);
    operation(thread, EventKind::trylock, kFirstMutex, kBusy);
  }

  void makeCheckThenAct(ThreadIndex thread) {
    const uint32_t cell = below(kSharedCells);
    const Hold check = acquireFor(thread, cell, true);
    test(thread, cell);
    release(thread, check);
    const bool forgets = forget();
    Hold act;
    if (!forgets) act = acquireFor(thread, cell, false);
    if (chance(30)) access(thread, cell, EventKind::read);
    access(thread, cell, EventKind::write);
    if (!forgets) releaseMostly(thread, act);
  }

  void makeNested(ThreadIndex thread) {
    const bool isInverted = chance(25);
    const uint32_t outer = isInverted ? kSecondMutex : kFirstMutex,
                   inner = isInverted ? kFirstMutex : kSecondMutex;
    const Hold first = acquireMutex(thread, outer);
    if (chance(60)) accessSomehow(thread, kX);
    const Hold second = acquireMutex(thread, inner);
    accessSomehow(thread, below(kSharedCells));
    const bool isCrossed = chance(30); // hand over hand
    release(thread, isCrossed ? first : second);
    if (chance(30)) accessSomehow(thread, isCrossed ? kY : kX);
    releaseMostly(thread, isCrossed ? second : first);
  }

  // Two variables that belong together, touched in one section or, wrongly, in two.
  void makeSeveral(ThreadIndex thread) {
    const bool isSplit = chance(40);
    const Hold hold = acquireMutex(thread, kFirstMutex);
    accessSomehow(thread, kX);
    if (isSplit) {
      release(thread, hold);
      if (!forget())
        acquireMutex(thread, kFirstMutex);
      else
        return accessSomehow(thread, kY);
    }
    accessSomehow(thread, kY);
    releaseMostly(thread, hold);
  }

  // The main thread signals; of two others, both may wait, and one of them wakes the next. A racy access beside
  // keeps a choice open while somebody waits for a signal that was lost.
  void makeConditionUse(ThreadIndex thread) {
    const uint32_t dice = below(100);
    if (thread == 2 && dice < 30) return accessSomehow(thread, kX);
    if (thread == 0 || (thread == 2 && dice < 45)) {
      makeSignal(thread);
      if (drafts_.size() > 2 && chance(35)) accessSomehow(thread, kX);
      return;
    }
    makeWait(thread);
    if (thread == relay_) operation(thread, EventKind::signal, kCondition);
  }

  void makeWait(ThreadIndex thread) {
    const uint32_t detail = drafts_.size() > 2 ? 25 : 65; // percent; two waiters leave little room for more
    const Hold hold = acquireMutex(thread, kFirstMutex);
    if (chance(detail)) test(thread, kX);
    if (chance(90)) {
      operation(thread, EventKind::waitBegin, kCondition);
      drafts_[thread].back().event.mutex = kFirstMutex;
      operation(thread, EventKind::wake, kCondition, chance(12) ? kTimedOut : 0);
      operation(thread, EventKind::lock, kFirstMutex);
      if (chance(detail)) test(thread, kX); // `while`, not `if`
    }
    if (chance(60)) accessSomehow(thread, kX);
    releaseMostly(thread, hold);
  }

  void makeSignal(ThreadIndex thread) {
    const bool isForTwo = thread == 0 && drafts_.size() > 2;
    const EventKind kind =
        chance(isForTwo && relay_ == kNone ? 45 : 25) ? EventKind::broadcast : EventKind::signal;
    if (isForTwo && relay_ == kNone && kind == EventKind::signal && chance(70))
      operation(thread, kind, kCondition);
    if (chance(isForTwo ? 30 : 15)) return operation(thread, kind, kCondition);
    const bool isInside = chance(50);
    const Hold hold = acquireMutex(thread, kFirstMutex);
    accessSomehow(thread, kX);
    if (isInside) operation(thread, kind, kCondition);
    release(thread, hold);
    if (!isInside) operation(thread, kind, kCondition);
  }

  void makeReadersAndWriters(ThreadIndex thread) {
    if (chance(35)) return makeCheckThenAct(thread);
    const uint32_t cell = below(kSharedCells);
    const bool reads = chance(45);
    const Hold hold = acquireRwLock(thread, reads);
    if (reads)
      test(thread, cell);
    else
      accessSomehow(thread, cell);
    if (chance(30)) access(thread, cell, reads || chance(50) ? EventKind::read : EventKind::write);
    releaseMostly(thread, hold);
  }

  void makeSemaphoreUse(ThreadIndex thread) {
    const uint32_t dice = below(100), cell = below(kSharedCells);
    if (dice < 20) return makeCheckThenAct(thread);
    if (dice < 40) return makeSection(thread, cell, 1);
    const bool waits = dice >= 55, posts = dice < 55 || dice >= 70; // a signal, a wait for one, or a lock
    if (waits) acquireSemaphore(thread);
    accessSomehow(thread, cell);
    if (posts) operation(thread, EventKind::semPost, kSemaphore);
  }

  const Discipline discipline_;
  uint32_t mutexOf_[kSharedCells] = {};
  ThreadIndex failingThread_ = 0;
  ThreadIndex relay_ = kNone; // the thread that signals when it has been woken
  bool mayForget_ = false;    // one access without its lock
  bool joined_ = false;       // thread 1, by the failing main thread
};

} // namespace

const char* toText(Discipline discipline) {
  constexpr const char* kTexts[] = {"guarded",           "checkThenAct", "nested",    "severalVariables",
                                    "conditionVariable", "readerWriter", "semaphore", "mixed"};
  return kTexts[size_t(discipline)];
}

SymbolicTrace disciplinedTrace(std::mt19937& random, Discipline discipline) {
  return Generator(random, discipline).run();
}

} // namespace symbiosis::testing
