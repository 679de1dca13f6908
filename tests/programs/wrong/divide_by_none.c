// The mean of what has been counted so far, while another thread starts counting anew.
// expect: signal 8; order violation on count; lines 10 19; dsp 4
#include <pthread.h>
#include <stdio.h>

static volatile int sum = 12, count = 4;

static void* resetter(void* unused) {
  sum = 0;
  count = 0;
  sum = 5;
  count = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, resetter, NULL);
  int mean = sum / count;
  pthread_join(thread, NULL);
  printf("%d\n", mean);
  return 0;
}
