// A worker fills a buffer of its own, which main takes back before the worker is done with it.
// expect: signal 11; order violation on seen; lines 12 21; dsp 8
#include <pthread.h>
#include <stdlib.h>

static int* _Atomic scratch;
static int total;

static void* work(void* unused) {
  int* own = malloc(8 * sizeof *own);
  scratch = own;
  for (int i = 0; i < 8; ++i) own[i] = i;
  for (int i = 0; i < 8; ++i) total += own[i];
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int* seen = scratch;
  free(seen);
  pthread_join(thread, NULL);
  return 0;
}
