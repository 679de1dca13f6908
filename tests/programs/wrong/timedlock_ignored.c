// Who does not get the lock in time goes on as if it had it.
// expect: assertion; lost update on sum; lines 14 15 26; dsp 5
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  int locked = pthread_mutex_timedlock(&mutex, &until) == 0;
  int seen = sum;
  sum = seen + 1;
  if (locked) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(sum == 2);
  return 0;
}
