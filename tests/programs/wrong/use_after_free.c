// The block is given back while another thread still reads it; it is so large that its memory goes at once.
// expect: signal 11; order violation on block; lines 11 17 19; dsp 6
#include <pthread.h>
#include <stdlib.h>

enum { size = 1 << 22 };
static volatile int sum;

static void* reader(void* argument) {
  const volatile char* block = argument;
  sum = block[size / 2];
  return NULL;
}

int main(void) {
  pthread_t thread;
  char* block = calloc(1, size);
  pthread_create(&thread, NULL, reader, block);
  free(block);
  pthread_join(thread, NULL);
  return 0;
}
