// Mutexes and spinlocks.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

template <typename Controlled, typename Real>
int acquire(EventKind kind, const void* lock, Controlled controlled, Real real, bool isTimed = false) {
  auto take = [&] { return control::inControl() ? controlled() : real(); };
  return recording() ? recordedAcquisition(kind, lock, isTimed, take, Stamp::coarse) : take();
}

template <typename Controlled, typename Real> int release(const void* lock, Controlled controlled, Real real) {
  auto give = [&] { return control::inControl() ? controlled() : real(); };
  return recording() ? recordedRelease(EventKind::unlock, lock, give, Stamp::coarse) : give();
}

} // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  FIND_REAL(pthread_mutex_lock);
  static decltype(&pthread_mutex_trylock) attempt = nullptr;
  findReal(attempt, "pthread_mutex_trylock", nullptr);
  if (recording() && !control::inControl())
    return recordedLock(mutex, [&] { return attempt(mutex); }, [&] { return real(mutex); });
  return acquire(EventKind::lock, mutex, [&] { return control::lock(mutex, real); }, [&] { return real(mutex); });
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  FIND_REAL(pthread_mutex_trylock);
  return acquire(
      EventKind::trylock, mutex, [&] { return control::tryLock(mutex, real); }, [&] { return real(mutex); });
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  FIND_REAL(pthread_mutex_timedlock);
  return acquire(
      EventKind::lock, mutex, [&] { return control::lockUntil(mutex, CLOCK_REALTIME, *time); },
      [&] { return real(mutex, time); }, true);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  FIND_REAL(pthread_mutex_clocklock);
  return acquire(
      EventKind::lock, mutex, [&] { return control::lockUntil(mutex, clock, *time); },
      [&] { return real(mutex, clock, time); }, true);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  FIND_REAL(pthread_mutex_unlock);
  return release(mutex, [&] { return control::unlock(mutex, real); }, [&] { return real(mutex); });
}

int pthread_spin_lock(pthread_spinlock_t* lock) {
  FIND_REAL(pthread_spin_lock);
  static decltype(&pthread_spin_trylock) attempt = nullptr;
  findReal(attempt, "pthread_spin_trylock", nullptr);
  if (recording() && !control::inControl())
    return recordedLock(const_cast<int*>(lock), [&] { return attempt(lock); }, [&] { return real(lock); });
  return acquire(
      EventKind::lock, const_cast<int*>(lock), [&] { return control::spin(EventKind::lock, lock, real); },
      [&] { return real(lock); });
}

int pthread_spin_trylock(pthread_spinlock_t* lock) {
  FIND_REAL(pthread_spin_trylock);
  return acquire(
      EventKind::trylock, const_cast<int*>(lock), [&] { return control::spin(EventKind::trylock, lock, real); },
      [&] { return real(lock); });
}

int pthread_spin_unlock(pthread_spinlock_t* lock) {
  FIND_REAL(pthread_spin_unlock);
  return release(
      const_cast<int*>(lock), [&] { return control::spin(EventKind::unlock, lock, real); },
      [&] { return real(lock); });
}

} // extern "C"
