// main returns without waiting: the other thread may or may not have done its work.
// expect: exit 1; order violation on done; lines 8 16; dsp 4
#include <pthread.h>

static volatile int done;

static void* worker(void* unused) {
  done = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_detach(thread);
  return done ? 0 : 1;
}
// perhaps path
