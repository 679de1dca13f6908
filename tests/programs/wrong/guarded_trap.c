// The same with a trap instruction.
// expect: signal 4; order violation on open; lines 8 16; dsp 4
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
  if (!open) __builtin_trap();
  pthread_join(thread, NULL);
  return 0;
}
