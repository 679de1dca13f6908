// Cancelling threads. Under control a thread waits in no call of libc, so what is a cancellation point must be one
// of ours: an announced operation of a thread that is to be cancelled need not wait, and the thread then ends
// there.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime::control {

bool mustCancel(const ThreadState& thread) {
  return thread.control.cancelRequested && !thread.control.cancelDisabled;
}

void actOnCancellation() {
  if (!mustCancel(*self)) return;
  self->control.cancelRequested = false; // it is on its way out
  pthread_testcancel();
}

} // namespace symbiosis::runtime::control

extern "C" {

int pthread_cancel(pthread_t handle) {
  static decltype(&pthread_cancel) real = nullptr;
  findReal(real, "pthread_cancel", nullptr);
  if (!recording() && !control::inControl()) return real(handle);
  ThreadState* peer = findThread(handle);
  const void* request = reinterpret_cast<void*>(format::cancellationOf(peer ? peer->serial : ~0u));
  auto cancel = [&] {
    if (control::inControl()) {
      control::announce(control::counted(EventKind::semPost, request));
      if (peer) peer->control.cancelRequested = true;
    }
    return real(handle);
  };
  return recording() ? recordedRelease(EventKind::semPost, request, cancel) : cancel();
}

int pthread_setcancelstate(int state, int* old) {
  static decltype(&pthread_setcancelstate) real = nullptr;
  findReal(real, "pthread_setcancelstate", nullptr);
  if (control::inControl()) self->control.cancelDisabled = state == PTHREAD_CANCEL_DISABLE;
  return real(state, old);
}

int pthread_setcanceltype(int type, int* old) {
  static decltype(&pthread_setcanceltype) real = nullptr;
  findReal(real, "pthread_setcanceltype", nullptr);
  if (type == PTHREAD_CANCEL_ASYNCHRONOUS && control::inControl()) {
    control::Text()
        << "a thread may be cancelled at any instruction (PTHREAD_CANCEL_ASYNCHRONOUS), which cannot be "
           "controlled";
    control::endProcess(format::ControlOutcome::gaveUp);
  }
  return real(type, old);
}

} // extern "C"
