// Cancelling threads. Under control a thread waits in no call of libc, so what is a cancellation point must be one
// of ours: an announced operation of a thread that is to be cancelled need not wait, and the thread then ends
// there.
//
// A thread that may be cancelled asynchronously (PTHREAD_CANCEL_ASYNCHRONOUS) may end at any instruction. Whoever
// cancels it runs while it stands before a point, and what it does between two points nobody else sees: so it ends
// before the point at which the request finds it, whatever it has announced there. To libc its cancellation is
// deferred all the time.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace symbiosis::runtime::control {

bool mustCancel(const ThreadState& thread) {
  return thread.control.cancelRequested && !thread.control.cancelDisabled;
}

bool endsAnywhere(const ThreadState& thread) {
  return thread.control.cancelAsynchronously && !thread.finished && mustCancel(thread);
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
    const int result = real(handle);
    if (control::inControl() && peer == self && control::endsAnywhere(*self)) control::actOnCancellation();
    return result;
  };
  return recording() ? recordedRelease(EventKind::semPost, request, cancel) : cancel();
}

int pthread_setcancelstate(int state, int* old) {
  static decltype(&pthread_setcancelstate) real = nullptr;
  findReal(real, "pthread_setcancelstate", nullptr);
  if (!control::inControl()) return real(state, old);
  self->control.cancelDisabled = state == PTHREAD_CANCEL_DISABLE;
  const int result = real(state, old);
  if (control::endsAnywhere(*self)) control::actOnCancellation();
  return result;
}

int pthread_setcanceltype(int type, int* old) {
  static decltype(&pthread_setcanceltype) real = nullptr;
  findReal(real, "pthread_setcanceltype", nullptr);
  if (!control::inControl()) return real(type, old);
  if (type != PTHREAD_CANCEL_ASYNCHRONOUS && type != PTHREAD_CANCEL_DEFERRED) return EINVAL;
  bool& asynchronously = self->control.cancelAsynchronously;
  if (old) *old = asynchronously ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  asynchronously = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (control::endsAnywhere(*self)) control::actOnCancellation();
  return 0;
}

} // extern "C"
