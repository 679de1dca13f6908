// Condition variables, reader-writer locks, barriers, semaphores, once and futexes under control. Nobody waits in
// the kernel: a wait is an announced operation that is not possible yet. Condition variables, barriers and futexes
// exist only in the model; the others are also taken for real, after the grant, when that cannot block. The
// recorder makes no records of these operations yet, so they are silent.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include "trace/sync_model.h"
#include <errno.h>
#include <semaphore.h>

namespace symbiosis::runtime::control {
namespace {

// State of what is in use, by address; what is in its initial state needs none.
template <typename State> struct Table {
  struct Slot {
    const void* address;
    State state;
  };
  static constexpr uint32_t kSlots = 1024;
  Slot slots[kSlots];

  State* find(const void* address) {
    for (Slot& slot : slots)
      if (slot.address == address) return &slot.state;
    return nullptr;
  }
  State& at(const void* address) {
    if (State* known = find(address)) return *known;
    for (Slot& slot : slots)
      if (!slot.address) {
        slot = {address, {}};
        return slot.state;
      }
    Text() << "too many synchronisation objects are in use at once";
    endProcess(format::ControlOutcome::gaveUp);
  }
  void forget(const void* address) {
    for (Slot& slot : slots)
      if (slot.address == address) slot = {nullptr, {}};
  }
};

struct Running {
  uint32_t owner = sync::kNobody;
};

Table<sync::RwLockState> rwlocks = {};
Table<sync::BarrierState> barriers = {};
Table<Running> initialisers = {};
uint64_t tickets = 0;

bool isWaiting(const ThreadState& thread, const void* object) {
  const Operation& pending = thread.control.pending;
  return thread.control.phase == Phase::waiting && sync::ruleOf(kindOf(pending)).isReached &&
         pending.object == object && !pending.signalled;
}

} // namespace

uint32_t waitersOn(const void* condition) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < liveCount; ++i) count += isWaiting(*live[i], condition);
  return count;
}

ThreadState* waiterOn(const void* condition, uint32_t choice) {
  for (uint32_t i = 0; i < liveCount; ++i) {
    if (!isWaiting(*live[i], condition)) continue;
    uint32_t older = 0;
    for (uint32_t j = 0; j < liveCount; ++j)
      older += isWaiting(*live[j], condition) && live[j]->control.pending.round < live[i]->control.pending.round;
    if (older == choice) return live[i];
  }
  return nullptr;
}

bool canShare(EventKind kind, const void* lock) {
  const sync::RwLockState* state = rwlocks.find(lock);
  return !state || sync::can(*state, {kind});
}
bool hasToken(const void* semaphore) {
  FIND_REAL(sem_getvalue);
  int tokens = 0;
  real(static_cast<sem_t*>(const_cast<void*>(semaphore)), &tokens);
  return tokens > 0;
}
bool canLeave(const void* barrier, uint64_t round) {
  const sync::BarrierState* state = barriers.find(barrier);
  return !state || sync::can(*state, {EventKind::barrierLeave, sync::kNobody, unsigned(round)});
}
bool canBeginOnce(const ThreadState& thread, const void* once) {
  const Running* running = initialisers.find(once);
  return !running || running->owner == thread.serial;
}

// As glibc marks a once, and the C++ ABI a guard.
static bool isOnceDone(const Operation& operation) {
  const uint32_t word = __atomic_load_n(static_cast<const uint32_t*>(operation.object), __ATOMIC_ACQUIRE);
  return operation.isGuard ? (word & 1) != 0 : (word & 2) != 0;
}

static bool takesRequest(const ThreadState& thread) {
  const Operation& pending = thread.control.pending;
  return pending.cancellable && pending.counted && !pending.signalled && mustCancel(thread);
}

uint64_t effectiveObject(const ThreadState& thread) {
  if (takesRequest(thread)) return format::cancellationOf(thread.serial);
  return reinterpret_cast<uint64_t>(thread.control.pending.object);
}

uint8_t effectiveKind(const ThreadState& thread) {
  const Operation& pending = thread.control.pending;
  if (pending.kind == uint8_t(EventKind::onceBegin) && isOnceDone(pending)) return uint8_t(EventKind::oncePass);
  if (takesRequest(thread)) return uint8_t(EventKind::semWait);
  if (pending.timed && pending.counted && !isPossible(thread))
    return uint8_t(sync::ruleOf(kindOf(pending)).attempt);
  return pending.kind;
}

bool waitForSignal(Operation operation) {
  operation.round = ++tickets;
  announce(operation);
  return self->control.pending.signalled;
}

int signalOne(Operation operation) {
  operation.reachesOne = true;
  announce(operation);
  const uint16_t choice = self->control.pending.choice;
  ThreadState* waiter = choice ? waiterOn(operation.object, choice - 1u) : nullptr;
  if (waiter) waiter->control.pending.signalled = true;
  return waiter ? 1 : 0;
}

int signalAll(Operation operation) {
  announce(operation);
  int count = 0;
  for (; ThreadState* waiter = waiterOn(operation.object, 0); ++count) waiter->control.pending.signalled = true;
  return count;
}

int waitOnCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, Deadline deadline, bool& signalled) {
  announce(counted(EventKind::waitBegin, condition));
  releaseForWait(mutex);
  Operation wake = counted(EventKind::wake, condition);
  wake.timed = deadline.time != nullptr;
  wake.cancellable = true;
  signalled = waitForSignal(wake);
  if (!signalled && mustCancel(*self)) {
    // It has taken the request. Until it wakes, which it now may at any time, a signal can still reach it.
    wake.round = self->control.pending.round;
    wake.cancellable = false;
    wake.timed = true;
    announce(wake);
    signalled = self->control.pending.signalled;
    actOnCancellation();
  }
  const bool timedOut = !signalled && !self->control.pending.wakesAlone;
  if (timedOut) timeOut(deadline.clock, *deadline.time);
  acquireAfterWait(mutex);
  return timedOut ? ETIMEDOUT : 0;
}

int lockShared(Operation operation, pthread_rwlock_t* lock, Deadline deadline) {
  operation.timed = deadline.time != nullptr;
  announce(operation);
  const bool reads = !sync::ruleOf(kindOf(operation)).excludes;
  static decltype(&pthread_rwlock_tryrdlock) read = nullptr;
  static decltype(&pthread_rwlock_trywrlock) write = nullptr;
  findReal(read, "pthread_rwlock_tryrdlock", nullptr);
  findReal(write, "pthread_rwlock_trywrlock", nullptr);
  const int result = reads ? read(lock) : write(lock);
  if (result != 0) {
    if (!deadline.time) return result;
    timeOut(deadline.clock, *deadline.time);
    return ETIMEDOUT;
  }
  sync::perform(rwlocks.at(lock), {kindOf(operation), self->serial});
  return 0;
}

int unlockShared(pthread_rwlock_t* lock, int (*real)(pthread_rwlock_t*)) {
  announce(counted(EventKind::rwunlock, lock));
  const int result = real(lock);
  sync::RwLockState* state = result == 0 ? rwlocks.find(lock) : nullptr;
  if (!state) return result;
  sync::perform(*state, {EventKind::rwunlock, self->serial});
  if (sync::can(*state, {EventKind::wrlock})) rwlocks.forget(lock);
  return result;
}

int takeToken(Operation operation, sem_t* semaphore, Deadline deadline) {
  operation.timed = deadline.time != nullptr;
  operation.cancellable = true;
  announce(operation);
  actOnCancellation();
  static decltype(&sem_trywait) real = nullptr;
  findReal(real, "sem_trywait", nullptr);
  const int result = real(semaphore);
  if (result == 0 || !deadline.time) return result;
  timeOut(deadline.clock, *deadline.time);
  errno = ETIMEDOUT;
  return -1;
}

void forgetBarrier(const pthread_barrier_t* barrier) { barriers.forget(barrier); }

int waitAtBarrier(pthread_barrier_t* barrier) {
  announce(counted(EventKind::barrierArrive, barrier));
  sync::BarrierState& state = barriers.at(barrier);
  const unsigned round = state.rounds;
  sync::perform(state, {EventKind::barrierArrive, self->serial, barrierCount(barrier)});
  const bool last = sync::can(state, {EventKind::barrierLeave, self->serial, round});
  Operation leave = counted(EventKind::barrierLeave, barrier);
  leave.round = round;
  announce(leave);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

void claimOnce(const void* once) { initialisers.at(once).owner = self->serial; }
void endOnce(Operation operation) {
  announce(operation);
  initialisers.forget(operation.object);
}

} // namespace symbiosis::runtime::control
