// A worker numbers the entries of an array, which another thread reallocates to make room for more.
// expect: signal 11; order violation on entries; lines 14 25; dsp 8
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* entries;
static int sum;

static void* number(void* unused) {
  pthread_mutex_lock(&lock);
  int* all = entries;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 4; ++i) sum += all[i] = i;
  return unused;
}

int main(void) {
  pthread_t thread;
  entries = calloc(4, sizeof *entries);
  pthread_create(&thread, NULL, number, NULL);
  for (int room = 40; room <= 400; room *= 10) {
    pthread_mutex_lock(&lock);
    if (room > 40)
      entries = realloc(entries, room * sizeof *entries);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  free(entries);
  return 0;
}
