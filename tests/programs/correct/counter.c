// Counters under one mutex, taken by lock and by trylock.
// expect: pass
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total, skipped[3];

static void* add(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 3; ++i) {
    if (pthread_mutex_trylock(&mutex) != 0) {
      ++skipped[me];
      pthread_mutex_lock(&mutex);
    }
    ++total;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, add, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(total == 9);
  return 0;
}
