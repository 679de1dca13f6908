// Of the buffers that a worker hands out, the last one is freed while the worker still reads it.
// expect: signal 11; order violation on gone; lines 18 31; dsp 8
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long* current;
static long sum;

static void* work(void* unused) {
  for (int round = 0; round < 4; ++round) {
    long* own = malloc(64 + round);
    for (int i = 0; i < 4; ++i) own[i] = i;
    pthread_mutex_lock(&lock);
    current = own;
    pthread_mutex_unlock(&lock);
    if (round == 3)
      for (int i = 0; i < 4; ++i) sum += own[i];
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < 8; ++i) {
    pthread_mutex_lock(&lock);
    long* gone = current;
    current = NULL;
    pthread_mutex_unlock(&lock);
    free(gone);
  }
  pthread_join(thread, NULL);
  return 0;
}
