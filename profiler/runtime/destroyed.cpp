// Locks, condition variables, semaphores and barriers that are destroyed. Many of them go on working in libc as if
// nothing had happened, until some day they do not. Under control a destroyed object is overwritten with a
// pattern, which it may be: its contents are nobody's business any more. Who uses the object while the pattern is
// still there has not initialised it again.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include "trace/signal_objects.h"
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

constexpr uint64_t kPattern[2] = {0xD057203ED0D057A0, 0x51B10515DEADB0D1}; // no libc writes this there

template <typename Object, typename Call> int destroy(Object* object, Call real) {
  static_assert(sizeof(Object) >= sizeof kPattern);
  if (control::inControl()) {
    countedPoint(EventKind::destroy, object);
    control::checkUse(object, true);
  }
  auto call = [&] { return real(object); };
  const int result = recording() ? recordedRelease(EventKind::destroy, object, call) : call();
  if (result == 0 && control::inControl()) memcpy(static_cast<void*>(object), kPattern, sizeof kPattern);
  return result;
}

} // namespace

namespace symbiosis::runtime::control {

void checkUse(const void* object, bool canBeDestroyed) {
  if (format::isSignalObject(uint64_t(object))) return; // there is nothing at its address
  if (isGone(object)) return misuse(format::HeapMisuse::useAfterFree, object, false);
  if (canBeDestroyed && memcmp(object, kPattern, sizeof kPattern) == 0)
    misuse(format::HeapMisuse::useAfterDestroy, object, false);
}

} // namespace symbiosis::runtime::control

extern "C" int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  FIND_REAL(pthread_mutex_destroy);
  return destroy(mutex, real);
}

extern "C" int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  static decltype(&pthread_cond_destroy) real = nullptr;
  findReal(real, "pthread_cond_destroy", "GLIBC_2.3.2");
  return destroy(condition, real);
}

extern "C" int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  FIND_REAL(pthread_rwlock_destroy);
  return destroy(lock, real);
}

extern "C" int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  FIND_REAL(pthread_barrier_destroy);
  return destroy(barrier, real);
}

extern "C" int sem_destroy(sem_t* semaphore) noexcept {
  FIND_REAL(sem_destroy);
  return destroy(semaphore, real);
}
