// Two threads set a state, each without looking; the one that should have the last word does not always have it.
// expect: assertion; order violation on state; lines 12 17 27; dsp 4
#include <assert.h>
#include <pthread.h>

enum { idle, running, stopped };
static int state = idle;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void* start(void* unused) {
  pthread_mutex_lock(&guard);
  state = running;
  pthread_mutex_unlock(&guard);
  return unused;
}
static void* stop(void* unused) {
  __atomic_store_n(&state, stopped, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, start, 0);
  pthread_create(&two, 0, stop, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(state == stopped);
  return 0;
}
