// Mutexes.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_lock) real = nullptr;
  findReal(real, "pthread_mutex_lock", nullptr);
  auto take = [&] { return control::inControl() ? control::lock(mutex, real) : real(mutex); };
  return recording() ? recordedAcquisition(EventKind::lock, mutex, take, Stamp::coarse) : take();
}

extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_trylock) real = nullptr;
  findReal(real, "pthread_mutex_trylock", nullptr);
  auto take = [&] { return control::inControl() ? control::tryLock(mutex, real) : real(mutex); };
  return recording() ? recordedAcquisition(EventKind::trylock, mutex, take, Stamp::coarse) : take();
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static decltype(&pthread_mutex_unlock) real = nullptr;
  findReal(real, "pthread_mutex_unlock", nullptr);
  auto release = [&] { return control::inControl() ? control::unlock(mutex, real) : real(mutex); };
  return recording() ? recordedRelease(EventKind::unlock, mutex, release, Stamp::coarse) : release();
}
