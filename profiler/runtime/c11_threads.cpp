// C11's threads. glibc builds them on its own pthread functions by names that cannot be wrapped, so each is made
// here of the wrapped pthread function that it stands for; glibc's objects of both kinds are the same.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/real.h"
#include <threads.h>

using namespace symbiosis;
using namespace symbiosis::runtime;

namespace {

int asC11(int result) {
  switch (result) {
  case 0: return thrd_success;
  case ENOMEM: return thrd_nomem;
  case ETIMEDOUT: return thrd_timedout;
  case EBUSY: return thrd_busy;
  default: return thrd_error;
  }
}

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
pthread_mutex_t* plain(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* plain(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

} // namespace

extern "C" {

int mtx_lock(mtx_t* mutex) { return asC11(pthread_mutex_lock(plain(mutex))); }
int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict time) {
  return asC11(pthread_mutex_timedlock(plain(mutex), time));
}
int mtx_trylock(mtx_t* mutex) { return asC11(pthread_mutex_trylock(plain(mutex))); }
int mtx_unlock(mtx_t* mutex) { return asC11(pthread_mutex_unlock(plain(mutex))); }

int cnd_wait(cnd_t* condition, mtx_t* mutex) { return asC11(pthread_cond_wait(plain(condition), plain(mutex))); }
int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex, const timespec* __restrict time) {
  return asC11(pthread_cond_timedwait(plain(condition), plain(mutex), time));
}
int cnd_signal(cnd_t* condition) { return asC11(pthread_cond_signal(plain(condition))); }
int cnd_broadcast(cnd_t* condition) { return asC11(pthread_cond_broadcast(plain(condition))); }

static_assert(sizeof(once_flag) == sizeof(pthread_once_t));
void call_once(once_flag* flag, void (*initialise)(void)) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), initialise);
}

int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  static decltype(&thrd_create) real = nullptr;
  findReal(real, "thrd_create", nullptr);
  return createThread(thread, reinterpret_cast<void*>(routine), argument, [&](ThreadState* child) {
    if (!child) return real(thread, routine, argument);
    return real(
        thread,
        [](void* state) {
          ThreadState& mine = *static_cast<ThreadState*>(state);
          enterThread(mine);
          return reinterpret_cast<thrd_start_t>(mine.startRoutine)(mine.startArgument);
        },
        child);
  });
}

int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int joined = joinThread(thread, &value);
  if (result) tellByPointer(result, int(reinterpret_cast<intptr_t>(value)), joined == 0);
  return asC11(joined);
}

int thrd_sleep(const timespec* time, timespec* rest) {
  static decltype(&thrd_sleep) real = nullptr;
  findReal(real, "thrd_sleep", nullptr);
  return control::inControl() ? nanosleep(time, rest) : real(time, rest);
}

void thrd_yield(void) { sched_yield(); }

} // extern "C"
