// Mutual exclusion by two flags, with the check before the claim.
// expect: assertion; atomicity violation on inside; lines 13 14; dsp 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], inside;

static void* enter(void* argument) {
  long me = (long)argument;
  if (!wants[1 - me]) {
    wants[me] = 1;
    assert(++inside == 1);
    --inside;
    wants[me] = 0;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
