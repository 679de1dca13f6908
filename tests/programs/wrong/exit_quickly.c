// The same by quick_exit, which runs handlers of its own.
// expect: exit 5; order violation on ready; lines 12 20; dsp 4
#include <pthread.h>
#include <stdlib.h>

static volatile int ready = 1;
static volatile int cleaned;

static void clean(void) { cleaned = 1; }

static void* worker(void* unused) {
  if (!ready) quick_exit(5);
  return unused;
}

int main(void) {
  pthread_t thread;
  at_quick_exit(clean);
  pthread_create(&thread, NULL, worker, NULL);
  ready = 0;
  ready = 1;
  pthread_join(thread, NULL);
  return 0;
}
