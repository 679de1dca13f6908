// The cursor into a block is freed in place of the block, if the other thread has moved it.
// expect: signal 6; order violation on cursor; lines 10 20; dsp 6
#include <pthread.h>
#include <stdlib.h>

static char* cursor;

static void* skip(void* unused) {
  ++cursor;
  ++cursor;
  return unused;
}

int main(void) {
  pthread_t thread;
  char* block = calloc(1, 64);
  cursor = block;
  pthread_create(&thread, NULL, skip, NULL);
  char* start = cursor;
  free(start);
  pthread_join(thread, NULL);
  return 0;
}
