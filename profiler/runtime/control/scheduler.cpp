// The baton. Whoever holds it runs; the scheduler itself runs in the thread that gives it away, under a lock that
// is only contended when a thread begins.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/system_calls.h"
#include "profiler/runtime/signals.h"
#include "profiler/runtime/strategies/strategy.h"
#include "trace/sync_model.h"
#include <errno.h>
#include <unistd.h>

namespace symbiosis::runtime::control {

ThreadState* live[format::kMostControlledThreads] = {};
uint32_t liveCount = 0;

namespace {

uint32_t schedulerLock = 0;
ThreadState* previous = nullptr; // whom the last grant went to; null: has finished
uint32_t leaving = 0;            // task of a thread that has finished but may still run in libc; 0: none
uint32_t process = 0;
strategies::Random dice = {};
ThreadState* lingering = nullptr; // the thread that has failed while the others run on
uint64_t lingered = 0;            // points that they have passed since
uint64_t asked = 0;               // operations that strategies were asked about
constexpr uint64_t kLongEnough = 10000;

// A thread that runs on is asked again after so many points, so that the status shows progress.
constexpr uint64_t kLongestRun = uint64_t{1} << 20;

// Likewise one that passes what nobody notices: it may be waiting for others in a loop, as far as is known.
constexpr int64_t kPatience = 1 << 16;

// In a run of more points than these the last of them teach nothing new, or another run does.

void takeSchedulerLock() {
  while (__atomic_exchange_n(&schedulerLock, 1u, __ATOMIC_ACQUIRE)) systemCall(SYS_sched_yield);
}
void releaseSchedulerLock() { __atomic_store_n(&schedulerLock, 0u, __ATOMIC_RELEASE); }

// The end of a thread frees its stack, which the next pthread_create may use again: wait until it is really gone.
void waitForLeaving() {
  while (leaving && systemCall(SYS_tgkill, process, leaving, 0) == 0) systemCall(SYS_sched_yield);
  leaving = 0;
}

void awaitGrant(ThreadState& thread) {
  ControlledThread& control = thread.control;
  while (!__atomic_load_n(&control.go, __ATOMIC_ACQUIRE)) futexWait(&control.go, 0);
  control.go = 0;
  waitForLeaving();
}

[[noreturn]] void reportDeadlock() {
  Text text;
  text << "deadlock:";
  for (uint32_t i = 0; i < liveCount; ++i) {
    const Operation& pending = live[i]->control.pending;
    reportWait(*live[i]);
    text << (i ? "; " : " ") << "thread ";
    text.thread(live[i]->serial) << " waits at " << kindName(pending.kind) << " " << pending.index;
    if (kindOf(pending) == EventKind::lock) {
      text << " for a mutex of thread ";
      text.thread(ownerOf(pending.object));
    }
    if (pending.peer) {
      text << " for thread ";
      text.thread(pending.peer->serial);
    }
  }
  endProcess(format::ControlOutcome::deadlock);
}

strategies::Turn turnOf(const strategies::Choices& choices) {
  if (lingering) return strategies::walkRandomly(choices, dice, 16);
  switch (config.strategy) {
#define SYMBIOSIS_CASE(enumerator, ...)                                                                           \
  case format::Strategy::enumerator: return strategies::enumerator(choices, dice, config);
    SYMBIOSIS_STRATEGIES(SYMBIOSIS_CASE)
#undef SYMBIOSIS_CASE
  }
  return strategies::stay(choices, dice, config);
}

// In every other run a thread's first sleeps and yields are points like others: what spins a few times before it
// waits gets there while somebody else stands still, which is rare if each look costs it its turn.
bool isTireless(const ThreadState& thread) {
  constexpr uint32_t kLooks = 16;
  return (config.seed * 0x9E3779B97F4A7C15) >> 63 == 0 && thread.control.rests <= kLooks;
}

// Sleeps, yields, and waits that would end by running out of time.
bool isLazy(const ThreadState& thread) {
  const Operation& pending = thread.control.pending;
  return (pending.lazy && !isTireless(thread)) || (pending.timed && !isPossible(thread));
}

// Who can go on; lazy threads only if the others cannot, or now and then. Who awaits an ordering, when nobody else
// is left.
strategies::Choices whoCanGoOn() {
  static ThreadState* able[format::kMostControlledThreads];
  strategies::Choices choices = {able, 0, nullptr, passesUnnoticed() ? asked : status->points};
  // Who holds a thread back wants to see what comes of the others' sleeps.
  const bool lazyToo = (dice.next() & 15) == 0 || config.strategy == format::Strategy::holdBack;
  for (int round = lazyToo ? 1 : 0; round < 4 && choices.count == 0; ++round)
    for (uint32_t i = 0; i < liveCount; ++i) {
      if (!isEnabled(*live[i]) || (round == 0 && isLazy(*live[i]))) continue;
      if (round < 2 && live[i]->control.pending.last) continue;
      if (round < 3 && mustAwait(*live[i])) continue;
      able[choices.count++] = live[i];
      if (live[i] == self) choices.current = self;
    }
  return choices;
}

// What turns are counted in.
uint64_t progressOf(const ControlledThread& control) {
  return passesUnnoticed() ? control.asked : control.pending.index;
}

// The running thread has announced what is always possible, and may go on for a while. That it was asked at all is
// for the log's sake, so no dice are thrown: a run is the same whatever is logged of it.
bool isInItsTurn() {
  const ControlledThread& control = self->control;
  return control.phase == Phase::waiting && isMinor(control.pending) && !control.pending.last &&
         progressOf(control) < control.turnEnd && !mustAwait(*self);
}

ThreadState* chooseFreely() {
  if (isInItsTurn()) return self;
  strategies::Choices choices = whoCanGoOn();
  while (choices.count == 0) {
    if (!awaitAnyCall()) reportDeadlock();
    choices = whoCanGoOn();
  }
  const strategies::Turn turn = turnOf(choices);
  ControlledThread& control = turn.thread->control;
  const uint64_t now = progressOf(control), room = ~uint64_t{0} - now;
  control.turnEnd = now + (turn.points < room ? turn.points : room);
  return turn.thread;
}

// Whom a signal wakes: as the schedule says, or anybody.
void chooseWaiter(ThreadState& next, bool freely) {
  Operation& pending = next.control.pending;
  if (!pending.reachesOne || pending.choice) return;
  const uint32_t waiters = waitersOn(pending.object);
  if (!waiters) return;
  pending.choice = uint16_t(1 + (freely ? dice.below(waiters) : scheduledWaiter(pending.object)));
}

ThreadState* choose() {
  if (lingered > kLongEnough) return lingering;
  const Wish wish = lingering ? Wish{} : nextWish();
  ThreadState* next = wish.thread ? wish.thread : chooseFreely();
  uint64_t stop = wish.thread ? wish.stop : next->control.turnEnd;
  const uint64_t index = next->control.pending.index;
  if (stop > index + kLongestRun) stop = index + kLongestRun;
  if (const uint64_t await = nextAwait(*next); stop > await) stop = await;
  if (!lingering) status->consumed += keptAt(*next);
  chooseWaiter(*next, !wish.thread);
  const bool asksAlways = logsEverything() || isLearning() || (!wish.thread && passesUnnoticed());
  next->control.stop = asksAlways ? 0 : stop;
  return next;
}

void countPoints(ControlledThread& control) {
  const uint64_t passed = control.pending.index - control.seen;
  control.seen = control.pending.index;
  if (lingering) {
    lingered += passed;
    return;
  }
  status->points += passed;
  const uint64_t counted = passesUnnoticed() || config.entries ? asked : status->points;
  if (config.stepLimit &&
      (counted > config.stepLimit || status->points / format::kUnaskedFactor > config.stepLimit)) {
    Text text;
    text << "still running after " << status->points << " points (thread ";
    text.thread(self->serial) << ")";
    endProcess(format::ControlOutcome::stepLimit);
  }
}

// Who has passed very many points unasked has used up its turn, and as much of the strategy's patience.
void noteAsked(ControlledThread& control) {
  constexpr uint64_t kMuch = 4096;
  const bool isImpatient = __symbiosis_point_patience < 0;
  ++control.asked;
  asked += isImpatient ? kMuch : 1;
  if (isImpatient) control.turnEnd = 0;
}

void grant(ThreadState& next) {
  if (!lingering) logGrant(next, previous);
  if (!lingering && &next != previous) ++status->switches;
  status->holder = next.serial;
  status->holderTask = next.control.task;
  status->holderIndex = next.control.pending.index;
  next.control.phase = Phase::running;
  if (next.control.pending.site) next.control.lastSite = next.control.pending.site;
  previous = &next;
  __atomic_store_n(&status->steps, status->steps + 1, __ATOMIC_RELEASE);
}

// Gives the baton to whoever is next, which may be the calling thread itself: then returns true at once.
bool passBaton(bool comesBack) {
  ThreadState* next = choose();
  grant(*next);
  const bool stays = comesBack && next == self;
  releaseSchedulerLock();
  if (!stays) {
    __atomic_store_n(&next->control.go, 1u, __ATOMIC_RELEASE);
    futexWake(&next->control.go);
  }
  return stays;
}

} // namespace

bool isPossible(const ThreadState& thread) {
  const Operation& pending = thread.control.pending;
  if (pending.cancellable ? mustCancel(thread) : endsAnywhere(thread)) return true;
  if (pending.awaits) return isReady(pending);
  if (pending.signals) return isPending(thread.control.task, pending.signals);
  const EventKind kind = kindOf(pending);
  if (kind == EventKind::onceBegin) return canBeginOnce(thread, pending.object);
  if (!sync::canWait(kind)) return true;
  if (sync::ruleOf(kind).isReached) return pending.signalled;
  switch (sync::ruleOf(kind).sort) {
  case sync::Sort::thread: return !pending.peer || pending.peer->control.phase == Phase::finished;
  case sync::Sort::mutex: return canLock(thread, pending.object);
  case sync::Sort::rwlock: return canShare(kind, pending.object);
  case sync::Sort::semaphore: return hasToken(pending.object);
  case sync::Sort::barrier: return canLeave(pending.object, pending.round);
  default: return true; // a once is announced as a beginning
  }
}

bool isEnabled(const ThreadState& thread) {
  const ControlledThread& control = thread.control;
  if (control.phase != Phase::waiting || control.pending.never) return false;
  if (control.pending.timed || control.pending.wakesAlone) return true;
  return isPossible(thread);
}

// Who was let go from a barrier or a condition variable needs it no longer: it may be gone by now, if that waits
// for all to have left. A request to cancel is no memory.
static bool usesItsObject(const Operation& operation) {
  const EventKind kind = kindOf(operation);
  const bool hasLeft = kind == EventKind::barrierLeave || kind == EventKind::wake;
  return isSync(kind) && !hasLeft && !(reinterpret_cast<uint64_t>(operation.object) & format::kCancellations);
}

// Nor can it be used when it was destroyed; what initialises it makes it new.
static bool canBeDestroyed(EventKind kind) {
  switch (sync::ruleOf(kind).sort) {
  case sync::Sort::mutex:
  case sync::Sort::rwlock:
  case sync::Sort::barrier:
  case sync::Sort::condition: return true;
  case sync::Sort::semaphore: return kind != EventKind::semInit;
  default: return false;
  }
}

void announce(Operation operation) {
  ThreadState& thread = *self;
  ControlledThread& control = thread.control;
  operation.index = __symbiosis_point_index;
  if (recording()) notePending(operation.index, !operation.counted || operation.awaits);
  takeSchedulerLock();
  control.pending = operation;
  control.rests += operation.lazy;
  noteAsked(control);
  control.phase = Phase::waiting;
  countPoints(control);
  if (!passBaton(true)) awaitGrant(thread);
  // From here on this thread has the baton.
  if (operation.counted)
    ++__symbiosis_point_index;
  else
    ++control.silent;
  __symbiosis_point_stop = control.stop;
  __symbiosis_point_patience = kPatience;
  if (isLearning()) learnOrder(operation);
  // A lock, a condition variable … in a block that was freed, perhaps while this thread stood before it.
  if (operation.counted && operation.object && usesItsObject(operation))
    checkUse(operation.object, canBeDestroyed(kindOf(operation)));
  if (endsAnywhere(thread) && !lingering) actOnCancellation();
}

void linger() {
  lingering = self;
  Operation operation = silent(EventKind::failure, nullptr);
  operation.last = true;
  announce(operation);
}

bool isLingering() { return lingering != nullptr; }

void neverGoOn() {
  Operation operation = silent(EventKind::exit, nullptr);
  operation.never = true;
  announce(operation);
  __builtin_unreachable();
}

void announceJoin(ThreadState* peer) {
  Operation operation = counted(EventKind::join, nullptr);
  operation.peer = peer;
  operation.cancellable = true;
  announce(operation);
}

static void enlist(ThreadState& thread) {
  if (liveCount == format::kMostControlledThreads || thread.serial >= format::kMostControlledThreads) {
    Text() << "more than " << uint64_t{format::kMostControlledThreads} << " threads";
    endProcess(format::ControlOutcome::gaveUp);
  }
  thread.control.slot = findSlot(thread);
  live[liveCount++] = &thread;
  status->table[thread.serial] = {thread.parentSerial, thread.ordinal};
  status->threads = thread.serial + 1;
}

void registerMainThread(ThreadState& thread) {
  process = uint32_t(systemCall(SYS_getpid));
  dice.state = config.seed;
  enlist(thread);
  pinProcess();
  thread.control.phase = Phase::running;
  announce(counted(EventKind::start, nullptr));
}

void beginThread(ThreadState& thread) {
  ControlledThread& control = thread.control;
  pinThread(thread);
  takeSchedulerLock();
  enlist(thread);
  control.pending = counted(EventKind::start, nullptr);
  control.phase = Phase::waiting;
  releaseSchedulerLock();
  __atomic_store_n(&control.parked, 1u, __ATOMIC_RELEASE);
  futexWake(&control.parked);
  awaitGrant(thread);
  __symbiosis_point_index = 1;
  __symbiosis_point_stop = control.stop;
  __symbiosis_point_patience = kPatience;
}

void waitUntilParked(ThreadState& thread) {
  while (!__atomic_load_n(&thread.control.parked, __ATOMIC_ACQUIRE)) futexWait(&thread.control.parked, 0);
  if (isLearning()) learnFork(thread);
}

void leave() {
  takeSchedulerLock();
  ThreadState& thread = *self;
  thread.control.phase = Phase::finished;
  forgetRobustMutexesOf(thread.serial);
  for (uint32_t i = 0, kept = 0; i < liveCount; ++i)
    if (live[i] != &thread) live[kept++] = live[i];
  --liveCount;
  previous = nullptr;
  if (thread.control.task != process) leaving = thread.control.task;
  __symbiosis_point_stop = ~uint64_t{0};
  if (liveCount == 0)
    releaseSchedulerLock(); // the last one: libc ends the process
  else
    passBaton(false);
}

} // namespace symbiosis::runtime::control

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" {
__attribute__((tls_model("initial-exec"))) __thread uint64_t __symbiosis_point_index = 0;
__attribute__((tls_model("initial-exec"))) __thread uint64_t __symbiosis_point_stop = 0;
__attribute__((tls_model("initial-exec"))) __thread int64_t __symbiosis_point_patience = 0;
}

// The inlined code has counted the point already.
extern "C" void __symbiosis_point(const void* address, uint32_t kind, uint32_t number) {
  if (!self) {
    __symbiosis_adopt_thread();
    __symbiosis_point_index = 2;
  }
  if (!control::inControl()) {
    __symbiosis_point_stop = ~uint64_t{0};
    return;
  }
  if (!control::passesUnnoticed() || control::isNoticed(number) || __symbiosis_point_patience-- <= 0) {
    control::Operation operation = control::counted(EventKind(kind & 0xFF), address);
    operation.anyAccess = (kind & format::kAnyAccess) != 0;
    operation.site = number;
    --__symbiosis_point_index;
    control::announce(operation);
  }
  if (!control::isLearning()) return;
  control::learnAccess(address, kind, number);
  self->control.learnedAt = number;
  if (control::status->points > control::kMostLearned) control::stopLearning();
}
