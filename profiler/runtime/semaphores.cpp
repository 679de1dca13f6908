// Semaphores, barriers and one-time initialisation.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include <errno.h>
#include <semaphore.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

extern "C" int sem_init(sem_t* semaphore, int shared, unsigned value) {
  static decltype(&sem_init) real = nullptr;
  findReal(real, "sem_init", nullptr);
  if (control::inControl()) control::announce(control::counted(EventKind::semInit, semaphore));
  if (!recording()) return real(semaphore, shared, value);
  const int result = real(semaphore, shared, value);
  format::OpRecord* record = beginOp(EventKind::semInit, semaphore);
  record->argument = value;
  finishOp(record, result);
  return result;
}

extern "C" int sem_post(sem_t* semaphore) {
  static decltype(&sem_post) real = nullptr;
  findReal(real, "sem_post", nullptr);
  if (control::inControl()) control::announce(control::counted(EventKind::semPost, semaphore));
  if (!recording()) return real(semaphore);
  return recordedRelease(EventKind::semPost, semaphore, [&] { return real(semaphore); });
}

extern "C" int sem_wait(sem_t* semaphore) {
  static decltype(&sem_wait) real = nullptr;
  findReal(real, "sem_wait", nullptr);
  auto take = [&] {
    if (!control::inControl()) return real(semaphore);
    return control::takeToken(control::counted(EventKind::semWait, semaphore), semaphore, {});
  };
  return recording() ? recordedAcquisition(EventKind::semWait, semaphore, take) : take();
}

extern "C" int sem_trywait(sem_t* semaphore) {
  static decltype(&sem_trywait) real = nullptr;
  findReal(real, "sem_trywait", nullptr);
  if (control::inControl()) control::announce(control::counted(EventKind::semTrywait, semaphore));
  if (!recording()) return real(semaphore);
  return recordedAcquisition(EventKind::semTrywait, semaphore, [&] { return real(semaphore); });
}

extern "C" int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                    unsigned count) {
  static decltype(&pthread_barrier_init) real = nullptr;
  findReal(real, "pthread_barrier_init", nullptr);
  const int result = real(barrier, attributes, count);
  if (result == 0) noteBarrier(barrier, count);
  if (result == 0 && control::inControl()) control::forgetBarrier(barrier);
  return result;
}

extern "C" int pthread_barrier_wait(pthread_barrier_t* barrier) {
  static decltype(&pthread_barrier_wait) real = nullptr;
  findReal(real, "pthread_barrier_wait", nullptr);
  auto wait = [&] { return control::inControl() ? control::waitAtBarrier(barrier) : real(barrier); };
  if (!recording()) return wait();
  format::OpRecord* arrive = beginOp(EventKind::barrierArrive, barrier);
  arrive->argument = barrierCount(barrier);
  finishOp(arrive, 0);
  format::OpRecord* leave = beginOp(EventKind::barrierLeave, barrier);
  const int result = wait();
  // One of the threads gets PTHREAD_BARRIER_SERIAL_THREAD; both answers mean that the round is complete.
  finishWait(leave, 0);
  return result;
}

extern "C" int pthread_once(pthread_once_t* once, void (*initialise)(void)) {
  using Once = int (*)(pthread_once_t*, void (*)(void));
  static Once real = nullptr;
  findReal(real, "pthread_once", nullptr);
  if (!recording() && !control::inControl()) return real(once, initialise);
  format::OpRecord* pass = recording() ? beginOp(EventKind::oncePass, once) : nullptr;
  if (control::inControl()) control::beginOnce(control::counted(EventKind::onceBegin, once));
  // The initialiser takes no argument: it is handed over in this thread's own variable.
  static __thread void (*wanted)(void);
  static __thread pthread_once_t* object;
  static __thread format::OpRecord* record; // announces a pass; becomes a beginning if nobody has begun
  static __thread bool ran;
  auto* previousWanted = wanted;
  pthread_once_t* previousObject = object;
  wanted = initialise;
  object = once;
  ran = false;
  record = pass;
  const int result = real(once, [] {
    if (record) {
      record->kind = uint8_t(EventKind::onceBegin);
      finishWait(record, 0);
    }
    if (control::inControl()) control::claimOnce(object);
    auto* mine = object; // the initialiser may itself call pthread_once
    wanted();
    if (control::inControl()) control::endOnce(control::counted(EventKind::onceEnd, mine));
    if (recording()) finishOp(beginOp(EventKind::onceEnd, mine), 0);
    ran = true;
  });
  if (!ran && pass) finishWait(pass, result);
  wanted = previousWanted;
  object = previousObject;
  return result;
}
