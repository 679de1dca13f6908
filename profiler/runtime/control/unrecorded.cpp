// Wrappers of calls that the recorder makes no records of. They are scheduled like the others, but silently: they
// have no index of their own.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/control/futex.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <stdarg.h>

using namespace symbiosis;
using namespace symbiosis::runtime;
using control::silent;

namespace {

// A wait in the kernel's own terms; libstdc++ makes them for futures and atomic waits.
long futex(uint32_t* word, int operation, uint32_t value, const timespec* timeout) {
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
    return value == 1 ? control::signalOne(silent(EventKind::signal, word))
                      : control::signalAll(silent(EventKind::broadcast, word));
  control::announce(silent(EventKind::waitBegin, word));
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return -EAGAIN;
  control::Operation wake = silent(EventKind::wake, word);
  wake.timed = timeout != nullptr;
  if (control::waitForSignal(wake)) return 0;
  if (command == FUTEX_WAIT)
    control::passTime(uint64_t(timeout->tv_sec) * 1000000000 + uint64_t(timeout->tv_nsec));
  else
    control::timeOut(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, *timeout);
  return -ETIMEDOUT;
}

bool isWaitOrWake(int operation) {
  const int command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE ||
         command == FUTEX_WAKE_BITSET;
}

} // namespace

// In each: outside of control, what the program would have called.
#define PASS_ON(name, ...)                                                                                        \
  static decltype(&name) real = nullptr;                                                                          \
  findReal(real, #name, nullptr);                                                                                 \
  if (!control::inControl()) return real(__VA_ARGS__)

extern "C" {

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  PASS_ON(pthread_rwlock_timedrdlock, lock, time);
  return control::lockShared(silent(EventKind::rdlock, lock), lock, {CLOCK_REALTIME, time});
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  PASS_ON(pthread_rwlock_timedwrlock, lock, time);
  return control::lockShared(silent(EventKind::wrlock, lock), lock, {CLOCK_REALTIME, time});
}

int sem_timedwait(sem_t* semaphore, const timespec* time) {
  PASS_ON(sem_timedwait, semaphore, time);
  return control::takeToken(silent(EventKind::semWait, semaphore), semaphore, {CLOCK_REALTIME, time});
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  PASS_ON(sem_clockwait, semaphore, clock, time);
  return control::takeToken(silent(EventKind::semWait, semaphore), semaphore, {clock, time});
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  PASS_ON(pthread_mutex_timedlock, mutex, time);
  return control::lockUntil(mutex, CLOCK_REALTIME, *time);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  PASS_ON(pthread_mutex_clocklock, mutex, clock, time);
  return control::lockUntil(mutex, clock, *time);
}

// Initialisers of function-local statics.
int __cxa_guard_acquire(uint64_t* guard) {
  PASS_ON(__cxa_guard_acquire, guard);
  control::beginOnce(silent(EventKind::onceBegin, guard));
  const int mustRun = real(guard);
  if (mustRun) control::claimOnce(guard);
  return mustRun;
}
void __cxa_guard_release(uint64_t* guard) noexcept {
  PASS_ON(__cxa_guard_release, guard);
  control::endOnce(silent(EventKind::onceEnd, guard));
  real(guard);
}
void __cxa_guard_abort(uint64_t* guard) noexcept {
  PASS_ON(__cxa_guard_abort, guard);
  control::endOnce(silent(EventKind::onceEnd, guard));
  real(guard);
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  long result;
  if (number == SYS_futex && control::inControl() && isWaitOrWake(int(arguments[1])))
    result = futex(reinterpret_cast<uint32_t*>(arguments[0]), int(arguments[1]), uint32_t(arguments[2]),
                   reinterpret_cast<const timespec*>(arguments[3]));
  else
    result = control::systemCall6(number, arguments);
  if (result >= 0 || result < -4095) return result;
  errno = int(-result);
  return -1;
}

} // extern "C"
