// A thread uses what its creator has not yet made.
// expect: signal 11; order violation on shared; lines 9 16; dsp 4
#include <pthread.h>
#include <stdlib.h>

static int* volatile shared;

static void* user(void* unused) {
  *shared = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, user, NULL);
  shared = malloc(sizeof *shared);
  pthread_join(thread, NULL);
  free(shared);
  return 0;
}
