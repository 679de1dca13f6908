// Semaphores with time limits.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t tokens;
static int taken, missed;

static void* take(void* steady) {
  struct timespec until;
  clock_gettime(steady ? CLOCK_MONOTONIC : CLOCK_REALTIME, &until);
  until.tv_sec += 20;
  int got = steady ? sem_clockwait(&tokens, CLOCK_MONOTONIC, &until) : sem_timedwait(&tokens, &until);
  assert(got == 0 || errno == ETIMEDOUT);
  __atomic_fetch_add(got == 0 ? &taken : &missed, 1, __ATOMIC_SEQ_CST);
  return 0;
}

int main(void) {
  sem_init(&tokens, 0, 0);
  pthread_t one, two;
  pthread_create(&one, 0, take, 0);
  pthread_create(&two, 0, take, &two);
  sem_post(&tokens);
  sem_post(&tokens);
  pthread_join(one, 0);
  pthread_join(two, 0);
  int rest;
  sem_getvalue(&tokens, &rest);
  assert(taken + missed == 2 && rest == missed);
  return 0;
}
