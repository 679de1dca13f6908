// Threads under control. A thread exists for the scheduler when it stands before its `start`; its creator waits
// for that, so that the order of creation does not depend on the kernel. It ends with its `exit`, after the
// destructors of its thread_local variables; whoever joins it goes on after that.
#include "profiler/runtime/control/control.h"

namespace symbiosis::runtime::control {

static void* trampoline(void* argument) {
  self = static_cast<ThreadState*>(argument);
  beginThread(*self);
  armThreadEnd(self);
  return self->startRoutine(self->startArgument);
}

int create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
           CreateThread* real) {
  announce(counted(EventKind::fork, nullptr));
  ThreadState* child = newThread(self);
  if (!child) {
    Text() << "no memory for another thread";
    endProcess(format::ControlOutcome::gaveUp);
  }
  child->startRoutine = routine;
  child->startArgument = argument;
  const int result = real(handle, attributes, trampoline, child);
  if (result != 0) return result;
  child->handle = *handle;
  waitUntilParked(*child);
  return 0;
}

int join(pthread_t handle, void** value, int (*real)(pthread_t, void**)) {
  Operation operation = counted(EventKind::join, nullptr);
  operation.peer = findThread(handle);
  announce(operation);
  return real(handle, value);
}

} // namespace symbiosis::runtime::control
