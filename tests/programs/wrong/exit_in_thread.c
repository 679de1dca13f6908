// A worker ends the whole program when it finds its work undone.
// expect: exit 3; order violation on ready; lines 9 16; dsp 4
#include <pthread.h>
#include <stdlib.h>

static volatile int ready = 1;

static void* worker(void* unused) {
  if (!ready) exit(3);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  ready = 0;
  ready = 1;
  pthread_join(thread, NULL);
  return 0;
}
