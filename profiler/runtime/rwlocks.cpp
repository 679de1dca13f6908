// Reader-writer locks.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

static int acquire(EventKind kind, pthread_rwlock_t* lock, control::Deadline deadline, auto real) {
  auto take = [&] {
    return control::inControl() ? control::lockShared(control::counted(kind, lock), lock, deadline) : real();
  };
  return recording() ? recordedAcquisition(kind, lock, deadline.time != nullptr, take) : take();
}

#define SYMBIOSIS_RWLOCK(name, kind)                                                                              \
  extern "C" int name(pthread_rwlock_t* lock) noexcept {                                                          \
    static decltype(&name) real = nullptr;                                                                        \
    findReal(real, #name, nullptr);                                                                               \
    return acquire(EventKind::kind, lock, {}, [&] { return real(lock); });                                        \
  }
#define SYMBIOSIS_TIMED_RWLOCK(name, kind)                                                                        \
  extern "C" int name(pthread_rwlock_t* lock, const timespec* time) noexcept {                                    \
    static decltype(&name) real = nullptr;                                                                        \
    findReal(real, #name, nullptr);                                                                               \
    return acquire(EventKind::kind, lock, {CLOCK_REALTIME, time}, [&] { return real(lock, time); });              \
  }
#define SYMBIOSIS_CLOCK_RWLOCK(name, kind)                                                                        \
  extern "C" int name(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {                   \
    static decltype(&name) real = nullptr;                                                                        \
    findReal(real, #name, nullptr);                                                                               \
    return acquire(EventKind::kind, lock, {clock, time}, [&] { return real(lock, clock, time); });                \
  }

SYMBIOSIS_RWLOCK(pthread_rwlock_rdlock, rdlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_wrlock, wrlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_tryrdlock, tryrdlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_trywrlock, trywrlock)
SYMBIOSIS_TIMED_RWLOCK(pthread_rwlock_timedrdlock, rdlock)
SYMBIOSIS_TIMED_RWLOCK(pthread_rwlock_timedwrlock, wrlock)
SYMBIOSIS_CLOCK_RWLOCK(pthread_rwlock_clockrdlock, rdlock)
SYMBIOSIS_CLOCK_RWLOCK(pthread_rwlock_clockwrlock, wrlock)

extern "C" int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  static decltype(&pthread_rwlock_unlock) real = nullptr;
  findReal(real, "pthread_rwlock_unlock", nullptr);
  auto release = [&] { return control::inControl() ? control::unlockShared(lock, real) : real(lock); };
  return recording() ? recordedRelease(EventKind::rwunlock, lock, release) : release();
}
