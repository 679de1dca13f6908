// Condition variables. A wait is three records: `wait-begin` before it (it releases the mutex and joins the
// queue), `wake`, which is announced before and done after it, and `lock`. A thread that is cancelled in it takes
// the request before it wakes. libstdc++'s condition_variable calls these too.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include "profiler/runtime/runtime.h"
#include <errno.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

struct Waiting {
  format::OpSlot *begin, *request, *wake; // null: nothing is recorded
  pthread_mutex_t* mutex;
  bool signalled; // in control
};

Waiting begin(pthread_cond_t* condition, pthread_mutex_t* mutex, bool isTimed) {
  if (!recording()) return {nullptr, nullptr, nullptr, mutex, false};
  reserveSlots(16); // all of them, and those of the unwinder, must be in memory until it is over
  format::OpSlot* begin =
      beginOp(EventKind::waitBegin, condition, {.argument = reinterpret_cast<uint64_t>(mutex)});
  finishOp(begin, 0);
  noteRelease(mutex, self->clock);
  format::OpSlot* request = spareSlot();
  const uint8_t flags = isTimed ? format::kOpTimed : 0;
  return {begin, request, beginOp(EventKind::wake, condition, {.flags = flags}), mutex, false};
}

void woke(const Waiting& waiting, int result, bool cancelled) {
  if (!waiting.wake) return;
  finishWait(waiting.wake, result);
  // Marked: the call does not return.
  finishOp(beginOp(EventKind::lock, waiting.mutex, {.flags = uint8_t(cancelled ? format::kOpMarked : 0)}), 0);
}

// A thread that is cancelled while it waits has the mutex again when its cleanup begins.
void cancelled(void* argument) {
  const Waiting& waiting = *static_cast<Waiting*>(argument);
  if (control::inControl()) control::acquireAfterWait(waiting.mutex);
  if (waiting.request) takeRequest(waiting.request);
  woke(waiting, waiting.signalled ? 0 : ECANCELED, true);
}

// The cleanup is there whether or not anything is recorded: each one costs the unwinder a pthread_once, which is
// an operation with an index, and the run that is repeated must count as the one that repeats it.
template <typename Real>
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, control::Deadline deadline, Real real) {
  if (!recording() && !control::inControl()) return real();
  Waiting waiting = begin(condition, mutex, deadline.time != nullptr);
  volatile int result = 0;
  pthread_cleanup_push(cancelled, &waiting);
  result = control::inControl() ? control::waitOnCondition(condition, mutex, deadline, waiting.signalled) : real();
  pthread_cleanup_pop(0);
  if (result == 0 || result == ETIMEDOUT) {
    const bool wokeAlone = result == 0 && control::inControl() && !waiting.signalled;
    woke(waiting, wokeAlone ? EINTR : result, false);
  } else if (waiting.wake) {
    // It did not wait at all; the mutex is as it was.
    forgetOp(waiting.wake);
    finishOp(waiting.begin, result);
  }
  return result;
}

} // namespace

extern "C" int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static decltype(&pthread_cond_wait) real = nullptr;
  findReal(real, "pthread_cond_wait", "GLIBC_2.3.2");
  return wait(condition, mutex, {}, [&] { return real(condition, mutex); });
}

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  static decltype(&pthread_cond_timedwait) real = nullptr;
  findReal(real, "pthread_cond_timedwait", "GLIBC_2.3.2");
  return wait(condition, mutex, {CLOCK_REALTIME, until}, [&] { return real(condition, mutex, until); });
}

extern "C" int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) {
  static decltype(&pthread_cond_clockwait) real = nullptr;
  findReal(real, "pthread_cond_clockwait", nullptr);
  return wait(condition, mutex, {clock, until}, [&] { return real(condition, mutex, clock, until); });
}

extern "C" int pthread_cond_signal(pthread_cond_t* condition) {
  static decltype(&pthread_cond_signal) real = nullptr;
  findReal(real, "pthread_cond_signal", "GLIBC_2.3.2");
  auto signal = [&] {
    if (!control::inControl()) return real(condition);
    control::signalOne(control::counted(EventKind::signal, condition));
    return 0;
  };
  return recording() ? recordedRelease(EventKind::signal, condition, signal) : signal();
}

extern "C" int pthread_cond_broadcast(pthread_cond_t* condition) {
  static decltype(&pthread_cond_broadcast) real = nullptr;
  findReal(real, "pthread_cond_broadcast", "GLIBC_2.3.2");
  auto broadcast = [&] {
    if (!control::inControl()) return real(condition);
    control::signalAll(control::counted(EventKind::broadcast, condition));
    return 0;
  };
  return recording() ? recordedRelease(EventKind::broadcast, condition, broadcast) : broadcast();
}
