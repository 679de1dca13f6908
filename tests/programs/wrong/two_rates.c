// A rate and its divisor change together, between two settings each: what is shown are the settings, and not the one
// bit in which they differ; and the two stores under one condition stay two.
// expect: assertion; multi-variable inconsistency on rate and divisor; lines 17; dsp 5

#include <assert.h>
#include <pthread.h>

static int rate = 44100, divisor = 1;

static void* listener(void* fast) {
  if (*(int*)fast) {
    rate = 176400;
    divisor = 4;
  }
  return fast;
}
static int wave(void) { return rate / divisor; }

int main(int argc, char** argv) {
  pthread_t thread;
  int fast = argc < 9;
  (void)argv;
  pthread_create(&thread, NULL, listener, &fast);
  const int heard = wave();
  assert(heard == 44100);
  pthread_join(thread, NULL);
  return 0;
}
