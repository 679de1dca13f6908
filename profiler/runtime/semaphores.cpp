// Semaphores and barriers.
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
  finishOp(beginOp(EventKind::semInit, semaphore, {.argument = value}), result);
  return result;
}

extern "C" int sem_post(sem_t* semaphore) {
  static decltype(&sem_post) real = nullptr;
  findReal(real, "sem_post", nullptr);
  if (control::inControl()) control::announce(control::counted(EventKind::semPost, semaphore));
  if (!recording()) return real(semaphore);
  return recordedRelease(EventKind::semPost, semaphore, [&] { return real(semaphore); });
}

static int takeToken(sem_t* semaphore, control::Deadline deadline, auto real) {
  auto take = [&] {
    if (!control::inControl()) return real();
    return control::takeToken(control::counted(EventKind::semWait, semaphore), semaphore, deadline);
  };
  return recording() ? recordedAcquisition(EventKind::semWait, semaphore, deadline.time != nullptr, take) : take();
}

extern "C" int sem_wait(sem_t* semaphore) {
  static decltype(&sem_wait) real = nullptr;
  findReal(real, "sem_wait", nullptr);
  return takeToken(semaphore, {}, [&] { return real(semaphore); });
}

extern "C" int sem_timedwait(sem_t* semaphore, const timespec* time) {
  static decltype(&sem_timedwait) real = nullptr;
  findReal(real, "sem_timedwait", nullptr);
  return takeToken(semaphore, {CLOCK_REALTIME, time}, [&] { return real(semaphore, time); });
}

extern "C" int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  static decltype(&sem_clockwait) real = nullptr;
  findReal(real, "sem_clockwait", nullptr);
  return takeToken(semaphore, {clock, time}, [&] { return real(semaphore, clock, time); });
}

extern "C" int sem_trywait(sem_t* semaphore) {
  static decltype(&sem_trywait) real = nullptr;
  findReal(real, "sem_trywait", nullptr);
  if (control::inControl()) control::announce(control::counted(EventKind::semTrywait, semaphore));
  if (!recording()) return real(semaphore);
  return recordedAcquisition(EventKind::semTrywait, semaphore, false, [&] { return real(semaphore); });
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
  finishOp(beginOp(EventKind::barrierArrive, barrier, {.argument = barrierCount(barrier)}), 0);
  format::OpSlot* leave = beginOp(EventKind::barrierLeave, barrier);
  const int result = wait();
  // One of the threads gets PTHREAD_BARRIER_SERIAL_THREAD; both answers mean that the round is complete.
  finishWait(leave, 0);
  return result;
}
