// The program ends itself in a function of its own; the check stands around the call.
// expect: signal 6; order violation on open; lines 11 15 23; dsp 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int open = 1;

static void fatal(const char* why) {
  fprintf(stderr, "fatal: %s\n", why);
  abort();
}

static void* closer(void* unused) {
  open = 0;
  open = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, closer, NULL);
  if (!open) fatal("closed");
  pthread_join(thread, NULL);
  return 0;
}
