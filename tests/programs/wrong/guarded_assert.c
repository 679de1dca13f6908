// An assertion that always fails, behind the condition that matters.
// expect: assertion; order violation on open; lines 9 17; dsp 4
#include <assert.h>
#include <pthread.h>

static volatile int open = 1;

static void* closer(void* unused) {
  open = 0;
  open = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, closer, NULL);
  if (!open) assert(0);
  pthread_join(thread, NULL);
  return 0;
}
