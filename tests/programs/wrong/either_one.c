// One of two things must have been done before the check looks; `||` looks at the second only if need be.
// expect: assertion; order violation on second; lines 9 10 19; dsp 5
#include <assert.h>
#include <pthread.h>

static volatile int first, second;

static void* work(void* unused) {
  first = 1;
  second = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (volatile int i = 0; i < 3; ++i) {
  }
  assert(first || second);
  pthread_join(thread, NULL);
  return 0;
}
