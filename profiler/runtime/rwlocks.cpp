// Reader-writer locks.
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

#define SYMBIOSIS_RWLOCK(name, kind, order)                                                                       \
  extern "C" int name(pthread_rwlock_t* lock) {                                                                   \
    static decltype(&name) real = nullptr;                                                                        \
    findReal(real, #name, nullptr);                                                                               \
    if (!recording()) return real(lock);                                                                          \
    return order(EventKind::kind, lock, [&] { return real(lock); });                                              \
  }

SYMBIOSIS_RWLOCK(pthread_rwlock_rdlock, rdlock, recordedAcquisition)
SYMBIOSIS_RWLOCK(pthread_rwlock_wrlock, wrlock, recordedAcquisition)
SYMBIOSIS_RWLOCK(pthread_rwlock_tryrdlock, tryrdlock, recordedAcquisition)
SYMBIOSIS_RWLOCK(pthread_rwlock_trywrlock, trywrlock, recordedAcquisition)
SYMBIOSIS_RWLOCK(pthread_rwlock_unlock, rwunlock, recordedRelease)
