// Peterson's lock with the turn given to oneself instead of the other.
// expect: assertion; atomicity violation on inside; lines 17 18; dsp 5
// or: multi-variable inconsistency on wants[0] and inside
// or: multi-variable inconsistency on wants[1] and inside
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void* enter(void* argument) {
  long me = (long)argument;
  wants[me] = 1;
  turn = (int)me;
  while (wants[1 - me] && turn == 1 - me) sched_yield();
  ++inside;
  assert(inside == 1);
  --inside;
  wants[me] = 0;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
// or: multi-variable inconsistency on wants[0] and inside
// or: multi-variable inconsistency on turn and inside
