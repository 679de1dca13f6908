// Condition variables, reader-writer locks, barriers, semaphores, once and futexes under control. Nobody waits in
// the kernel: a wait is an announced operation that is not possible yet. Condition variables, barriers and futexes
// exist only in the model; the others are also taken for real, after the grant, when that cannot block. The
// recorder makes no records of these operations yet, so they are silent.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/futex.h"
#include "trace/sync_model.h"
#include <errno.h>
#include <semaphore.h>
#include <stdarg.h>

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
  return thread.control.phase == Phase::waiting && kindOf(pending) == EventKind::wake &&
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

bool canReadLock(const void* lock) {
  const sync::RwLockState* state = rwlocks.find(lock);
  return !state || sync::canReadLock(*state);
}
bool canWriteLock(const void* lock) {
  const sync::RwLockState* state = rwlocks.find(lock);
  return !state || sync::canWriteLock(*state);
}
bool hasToken(const void* semaphore) {
  int tokens = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(semaphore)), &tokens);
  return tokens > 0;
}
bool canLeave(const void* barrier, uint64_t round) {
  const sync::BarrierState* state = barriers.find(barrier);
  return !state || sync::canLeave(*state, unsigned(round));
}
bool canBeginOnce(const ThreadState& thread, const void* once) {
  const Running* running = initialisers.find(once);
  return !running || running->owner == thread.serial;
}

namespace {

// Waits in the queue of `object`; true: a signal came, false: the time ran out.
bool waitForSignal(const void* object, bool timed) {
  Operation operation = silent(EventKind::wake, object);
  operation.timed = timed;
  operation.round = ++tickets;
  announce(operation);
  return self->control.pending.signalled;
}

void signalOne(const void* object) {
  announce(silent(EventKind::signal, object));
  if (const uint16_t choice = self->control.pending.choice)
    if (ThreadState* waiter = waiterOn(object, choice - 1u)) waiter->control.pending.signalled = true;
}

uint32_t signalAll(const void* object) {
  announce(silent(EventKind::broadcast, object));
  uint32_t count = 0;
  while (ThreadState* waiter = waiterOn(object, 0)) {
    waiter->control.pending.signalled = true;
    ++count;
  }
  return count;
}

struct Deadline {
  clockid_t clock;
  const timespec* time; // null: none
};

int waitOnCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, Deadline deadline) {
  announce(silent(EventKind::waitBegin, condition));
  releaseForWait(mutex);
  const bool signalled = waitForSignal(condition, deadline.time != nullptr);
  if (!signalled) timeOut(deadline.clock, *deadline.time);
  acquireAfterWait(mutex);
  return signalled ? 0 : ETIMEDOUT;
}

template <typename Function> Function* next(Function*& known, const char* name) {
  if (!known) known = reinterpret_cast<Function*>(nextDefinition(name));
  return known;
}

int lockShared(pthread_rwlock_t* lock, EventKind kind, Deadline deadline) {
  Operation operation = silent(kind, lock);
  operation.timed = deadline.time != nullptr;
  announce(operation);
  const bool reads = kind == EventKind::rdlock || kind == EventKind::tryrdlock;
  static decltype(pthread_rwlock_tryrdlock)* read = nullptr;
  static decltype(pthread_rwlock_trywrlock)* write = nullptr;
  const int result =
      reads ? next(read, "pthread_rwlock_tryrdlock")(lock) : next(write, "pthread_rwlock_trywrlock")(lock);
  if (result != 0) {
    if (!deadline.time) return result;
    timeOut(deadline.clock, *deadline.time);
    return ETIMEDOUT;
  }
  sync::RwLockState& state = rwlocks.at(lock);
  if (reads)
    ++state.readers;
  else
    state.writer = self->serial;
  return 0;
}

int takeToken(sem_t* semaphore, Deadline deadline) {
  Operation operation = silent(EventKind::semWait, semaphore);
  operation.timed = deadline.time != nullptr;
  announce(operation);
  static decltype(sem_trywait)* real = nullptr;
  const int result = next(real, "sem_trywait")(semaphore);
  if (result == 0 || !deadline.time) return result;
  timeOut(deadline.clock, *deadline.time);
  errno = ETIMEDOUT;
  return -1;
}

// A wait in the kernel's own terms; libstdc++ makes them for futures and atomic waits.
long futex(uint32_t* word, int operation, uint32_t value, const timespec* timeout) {
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    if (value != 1) return signalAll(word);
    signalOne(word);
    return self->control.pending.choice ? 1 : 0;
  }
  announce(silent(EventKind::waitBegin, word));
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return -EAGAIN;
  if (waitForSignal(word, timeout != nullptr)) return 0;
  if (command == FUTEX_WAIT)
    passTime(uint64_t(timeout->tv_sec) * 1000000000 + uint64_t(timeout->tv_nsec));
  else
    timeOut(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, *timeout);
  return -ETIMEDOUT;
}

bool isFutexWaitOrWake(int operation) {
  const int command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE ||
         command == FUTEX_WAKE_BITSET;
}

} // namespace
} // namespace symbiosis::runtime::control

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::next;

// In each: outside of control, what the program would have called.
#define PASS_ON(name, ...)                                                                                        \
  static decltype(name)* real = nullptr;                                                                          \
  if (!control::inControl()) return next(real, #name)(__VA_ARGS__)

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  PASS_ON(pthread_cond_wait, condition, mutex);
  return control::waitOnCondition(condition, mutex, {});
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  PASS_ON(pthread_cond_timedwait, condition, mutex, time);
  return control::waitOnCondition(condition, mutex, {CLOCK_REALTIME, time});
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  PASS_ON(pthread_cond_clockwait, condition, mutex, clock, time);
  return control::waitOnCondition(condition, mutex, {clock, time});
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  PASS_ON(pthread_cond_signal, condition);
  control::signalOne(condition);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  PASS_ON(pthread_cond_broadcast, condition);
  control::signalAll(condition);
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  PASS_ON(pthread_rwlock_rdlock, lock);
  return control::lockShared(lock, EventKind::rdlock, {});
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  PASS_ON(pthread_rwlock_wrlock, lock);
  return control::lockShared(lock, EventKind::wrlock, {});
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  PASS_ON(pthread_rwlock_tryrdlock, lock);
  return control::lockShared(lock, EventKind::tryrdlock, {});
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  PASS_ON(pthread_rwlock_trywrlock, lock);
  return control::lockShared(lock, EventKind::trywrlock, {});
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  PASS_ON(pthread_rwlock_timedrdlock, lock, time);
  return control::lockShared(lock, EventKind::rdlock, {CLOCK_REALTIME, time});
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  PASS_ON(pthread_rwlock_timedwrlock, lock, time);
  return control::lockShared(lock, EventKind::wrlock, {CLOCK_REALTIME, time});
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  PASS_ON(pthread_rwlock_unlock, lock);
  control::announce(control::silent(EventKind::rwunlock, lock));
  const int result = next(real, "pthread_rwlock_unlock")(lock);
  sync::RwLockState* state = result == 0 ? control::rwlocks.find(lock) : nullptr;
  if (!state) return result;
  if (state->writer != sync::kNobody)
    state->writer = sync::kNobody;
  else
    --state->readers;
  if (sync::canWriteLock(*state)) control::rwlocks.forget(lock);
  return result;
}

int sem_wait(sem_t* semaphore) {
  PASS_ON(sem_wait, semaphore);
  return control::takeToken(semaphore, {});
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  PASS_ON(sem_timedwait, semaphore, time);
  return control::takeToken(semaphore, {CLOCK_REALTIME, time});
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  PASS_ON(sem_clockwait, semaphore, clock, time);
  return control::takeToken(semaphore, {clock, time});
}
int sem_trywait(sem_t* semaphore) noexcept {
  PASS_ON(sem_trywait, semaphore);
  control::announce(control::silent(EventKind::semTrywait, semaphore));
  return next(real, "sem_trywait")(semaphore);
}
int sem_post(sem_t* semaphore) noexcept {
  PASS_ON(sem_post, semaphore);
  control::announce(control::silent(EventKind::semPost, semaphore));
  return next(real, "sem_post")(semaphore);
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  static decltype(pthread_barrier_init)* real = nullptr;
  const int result = next(real, "pthread_barrier_init")(barrier, attributes, count);
  if (control::inControl()) control::barriers.forget(barrier);
  return result;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  PASS_ON(pthread_barrier_wait, barrier);
  control::announce(control::silent(EventKind::barrierArrive, barrier));
  // glibc: in, current round, count, …
  const unsigned participants = reinterpret_cast<const unsigned*>(barrier)[2];
  sync::BarrierState& state = control::barriers.at(barrier);
  const unsigned round = state.rounds;
  sync::arrive(state, participants);
  if (sync::canLeave(state, round)) return PTHREAD_BARRIER_SERIAL_THREAD;
  control::Operation leave = control::silent(EventKind::barrierLeave, barrier);
  leave.round = round;
  control::announce(leave);
  return 0;
}

int pthread_once(pthread_once_t* once, void (*initialise)(void)) {
  PASS_ON(pthread_once, once, initialise);
  control::announce(control::silent(EventKind::onceBegin, once));
  const bool first = !control::initialisers.find(once);
  if (first) control::initialisers.at(once).owner = self->serial;
  const int result = next(real, "pthread_once")(once, initialise);
  if (first) {
    control::announce(control::silent(EventKind::onceEnd, once));
    control::initialisers.forget(once);
  }
  return result;
}

// Initialisers of function-local statics.
int __cxa_guard_acquire(uint64_t* guard) {
  PASS_ON(__cxa_guard_acquire, guard);
  control::announce(control::silent(EventKind::onceBegin, guard));
  const int mustRun = next(real, "__cxa_guard_acquire")(guard);
  if (mustRun) control::initialisers.at(guard).owner = self->serial;
  return mustRun;
}
void __cxa_guard_release(uint64_t* guard) noexcept {
  PASS_ON(__cxa_guard_release, guard);
  control::announce(control::silent(EventKind::onceEnd, guard));
  next(real, "__cxa_guard_release")(guard);
  control::initialisers.forget(guard);
}
void __cxa_guard_abort(uint64_t* guard) noexcept {
  PASS_ON(__cxa_guard_abort, guard);
  control::announce(control::silent(EventKind::onceEnd, guard));
  next(real, "__cxa_guard_abort")(guard);
  control::initialisers.forget(guard);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  PASS_ON(pthread_mutex_timedlock, mutex, time);
  return control::lockUntil(mutex, CLOCK_REALTIME, *time);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  PASS_ON(pthread_mutex_clocklock, mutex, clock, time);
  return control::lockUntil(mutex, clock, *time);
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  long result;
  if (number == SYS_futex && control::inControl() && control::isFutexWaitOrWake(int(arguments[1])))
    result = control::futex(reinterpret_cast<uint32_t*>(arguments[0]), int(arguments[1]), uint32_t(arguments[2]),
                            reinterpret_cast<const timespec*>(arguments[3]));
  else
    result = control::systemCall6(number, arguments);
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

} // extern "C"
