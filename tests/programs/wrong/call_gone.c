// A handler is taken out while another thread is about to call it.
// expect: signal 11; order violation on handler; lines 10 18; dsp 4
#include <pthread.h>

static volatile int calls;
static void handle(void) { calls = 1; }
static void (*volatile handler)(void) = handle;

static void* remover(void* unused) {
  handler = 0;
  handler = handle;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, remover, NULL);
  handler();
  pthread_join(thread, NULL);
  return 0;
}
