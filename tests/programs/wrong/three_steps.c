// A state machine that only fails if two helpers step in, one after the other, between three steps of a worker.
// expect: assertion; atomicity violation on state; lines 10 11 13 18; dsp 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void* worker(void* unused) {
  state = 1;
  int first = state;
  int second = state;
  assert(!(first == 2 && second == 3));
  return unused;
}
static void* helper(void* argument) {
  int from = (int)(long)argument;
  if (state == from) state = from + 1;
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, worker, NULL);
  for (long i = 1; i < 3; ++i) pthread_create(&threads[i], NULL, helper, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
