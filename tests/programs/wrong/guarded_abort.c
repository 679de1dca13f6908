// Gives up by itself when it finds the two halves of the balance different.
// expect: signal 6; multi-variable inconsistency on left and right; lines 9 17; dsp 4
#include <pthread.h>
#include <stdlib.h>

static volatile int left = 1, right = 1;

static void* mover(void* unused) {
  left = 2;
  right = 2;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, mover, NULL);
  if (left != right) abort();
  pthread_join(thread, NULL);
  return 0;
}
