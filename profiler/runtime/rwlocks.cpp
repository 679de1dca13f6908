// Reader-writer locks.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

#define SYMBIOSIS_RWLOCK(name, kind)                                                                              \
  extern "C" int name(pthread_rwlock_t* lock) {                                                                   \
    static decltype(&name) real = nullptr;                                                                        \
    findReal(real, #name, nullptr);                                                                               \
    auto take = [&] {                                                                                             \
      return control::inControl() ? control::lockShared(control::counted(EventKind::kind, lock), lock, {})        \
                                  : real(lock);                                                                   \
    };                                                                                                            \
    return recording() ? recordedAcquisition(EventKind::kind, lock, take) : take();                               \
  }

SYMBIOSIS_RWLOCK(pthread_rwlock_rdlock, rdlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_wrlock, wrlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_tryrdlock, tryrdlock)
SYMBIOSIS_RWLOCK(pthread_rwlock_trywrlock, trywrlock)

extern "C" int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  static decltype(&pthread_rwlock_unlock) real = nullptr;
  findReal(real, "pthread_rwlock_unlock", nullptr);
  auto release = [&] { return control::inControl() ? control::unlockShared(lock, real) : real(lock); };
  return recording() ? recordedRelease(EventKind::rwunlock, lock, release) : release();
}
