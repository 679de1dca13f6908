// Waits that may run out of time, by both clocks.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, timeouts;

static void* waits(void* steady) {
  struct timespec until;
  pthread_mutex_lock(&mutex);
  while (!ready) {
    clock_gettime(steady ? CLOCK_MONOTONIC : CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      until.tv_sec++;
    }
    int got = steady ? pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &until)
                     : pthread_cond_timedwait(&changed, &mutex, &until);
    assert(got == 0 || got == ETIMEDOUT);
    if (got == ETIMEDOUT) ++timeouts;
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, waits, 0);
  pthread_create(&two, 0, waits, &two);
  struct timespec nap = {0, 3000000};
  nanosleep(&nap, 0);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(timeouts >= 0);
  return 0;
}
