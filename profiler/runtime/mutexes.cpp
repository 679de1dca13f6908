// Mutexes. Acquisitions are logged after they happened, releases before: whatever the moment at which the process
// is killed, a release that another thread may have seen is in the log.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/runtime.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_lock) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("pthread_mutex_lock"));
  int result = control::inControl() ? control::lock(mutex, real) : real(mutex);
  if (!recording()) return result;
  catchUp(mutex);
  format::OpRecord* record = beginOp(EventKind::lock, mutex, Stamp::coarse);
  if (result == 0) record->sequence = nextAcquisition(mutex);
  finishOp(record, result);
  return result;
}

extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_trylock) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("pthread_mutex_trylock"));
  int result = control::inControl() ? control::tryLock(mutex, real) : real(mutex);
  if (!recording()) return result;
  catchUp(mutex);
  format::OpRecord* record = beginOp(EventKind::trylock, mutex, Stamp::coarse);
  if (result == 0) record->sequence = nextAcquisition(mutex);
  finishOp(record, result);
  return result;
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_unlock) real = nullptr;
  if (!real) real = reinterpret_cast<decltype(real)>(nextDefinition("pthread_mutex_unlock"));
  if (!recording()) return control::inControl() ? control::unlock(mutex, real) : real(mutex);
  format::OpRecord* record = beginOp(EventKind::unlock, mutex, Stamp::coarse);
  noteRelease(mutex, record->timestamp);
  int result = control::inControl() ? control::unlock(mutex, real) : real(mutex);
  finishOp(record, result);
  return result;
}
