// Two phases, separated by a barrier that is used twice.
// expect: pass
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int parts[3], sums[3];

static void* worker(void* argument) {
  long me = (long)argument;
  parts[me] = (int)me + 1;
  pthread_barrier_wait(&barrier);
  sums[me] = parts[0] + parts[1] + parts[2];
  pthread_barrier_wait(&barrier);
  assert(sums[(me + 1) % 3] == 6);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&barrier, NULL, 3);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
