// The same without any clean-up.
// expect: exit 4; order violation on ready; lines 9 16; dsp 4
#include <pthread.h>
#include <unistd.h>

static volatile int ready = 1;

static void* worker(void* unused) {
  if (!ready) _exit(4);
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
