// Statistics are freed while a thread still counts in them, atomically.
// expect: signal 11; order violation on stats; lines 11 17 20; dsp 6
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct stats {
  atomic_int hits, misses;
};
static void* counter(void* argument) {
  atomic_fetch_add(&((struct stats*)argument)->misses, 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct stats* stats = calloc(1, sizeof *stats);
  pthread_create(&thread, NULL, counter, stats);
  atomic_fetch_add(&stats->hits, 1);
  free(stats);
  pthread_join(thread, NULL);
  return 0;
}
