// Every kind of mutex, and every way to lock it.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t kinds[4];
static int counts[4];

static struct timespec in(clockid_t clock, long milliseconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static int take(pthread_mutex_t* mutex, int way) {
  struct timespec real = in(CLOCK_REALTIME, 20000), steady = in(CLOCK_MONOTONIC, 20000);
  switch (way) {
  case 0: return pthread_mutex_lock(mutex);
  case 1: return pthread_mutex_timedlock(mutex, &real);
  case 2: return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &steady);
  default: return pthread_mutex_trylock(mutex);
  }
}

static void* worker(void* argument) {
  int first = (int)(intptr_t)argument;
  for (int i = 0; i < 4; ++i) {
    int way = (first + i) % 4, kind = i;
    int got = take(&kinds[kind], way);
    if (got == EBUSY || got == ETIMEDOUT) continue;
    assert(got == 0);
    counts[kind]++;
    if (kind == 1) { // recursive
      assert(pthread_mutex_lock(&kinds[kind]) == 0);
      counts[kind]++;
      counts[kind]--;
      pthread_mutex_unlock(&kinds[kind]);
    }
    if (kind == 2) assert(pthread_mutex_lock(&kinds[kind]) == EDEADLK);
    pthread_mutex_unlock(&kinds[kind]);
  }
  return 0;
}

int main(void) {
  const int types[4] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                        PTHREAD_MUTEX_NORMAL};
  for (int i = 0; i < 4; ++i) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[i]);
    if (i == 3) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&kinds[i], &attributes);
  }
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, (void*)(intptr_t)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 4; ++i) assert(counts[i] >= 1 && counts[i] <= 2);
  assert(pthread_mutex_unlock(&kinds[2]) == EPERM);
  return 0;
}
