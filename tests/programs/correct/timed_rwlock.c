// Reader-writer locks with time limits: who does not get in within it goes without.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right, refused;

static struct timespec soon(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 20;
  return time;
}

static void* writer(void* steady) {
  struct timespec until = soon(steady ? CLOCK_MONOTONIC : CLOCK_REALTIME);
  int got = steady ? pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until)
                   : pthread_rwlock_timedwrlock(&lock, &until);
  if (got == ETIMEDOUT) {
    __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
    return 0;
  }
  assert(got == 0);
  ++left;
  ++right;
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void* reader(void* steady) {
  struct timespec until = soon(steady ? CLOCK_MONOTONIC : CLOCK_REALTIME);
  int got = steady ? pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until)
                   : pthread_rwlock_timedrdlock(&lock, &until);
  if (got == ETIMEDOUT) return 0;
  assert(got == 0 && left == right);
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, i < 2 ? writer : reader, i % 2 ? &threads : 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  assert(left + refused == 2);
  return 0;
}
