// Mutexes and spinlocks.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/failures.h"
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

// What lies there is no mutex, though it looks taken: its owner has a number that no thread has. libc leaves such
// bytes in a block that was freed, and would wait there for ever.
bool isNoMutex(const pthread_mutex_t& mutex) {
  constexpr unsigned kMostThreads = 1u << 22; // the kernel's PID_MAX_LIMIT
  const auto& data = mutex.__data;
  return data.__lock != 0 && !(data.__kind & ~3) && unsigned(data.__owner) > kMostThreads;
}

} // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  FIND_REAL(pthread_mutex_lock);
  static decltype(&pthread_mutex_trylock) attempt = nullptr;
  findReal(attempt, "pthread_mutex_trylock", nullptr);
  if (recording() && !control::inControl())
    return recordedLock(
        mutex, [&] { return attempt(mutex); },
        [&] {
          if (isNoMutex(*mutex)) failBy(format::HeapMisuse::useAfterFree, mutex, false);
          return real(mutex);
        });
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
