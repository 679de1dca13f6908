// The one who was waited for signals once more, and what it signals has been destroyed.
// expect: signal 11; order violation on ready; lines 15 28; dsp 10
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready;
static bool isReady;

static void* prepare(void* unused) {
  pthread_mutex_lock(&lock);
  isReady = true;
  pthread_mutex_unlock(&lock);
  // Too late: who waits may have seen it already.
  pthread_cond_signal(&ready);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_cond_init(&ready, NULL);
  pthread_create(&thread, NULL, prepare, NULL);
  pthread_mutex_lock(&lock);
  while (!isReady)
    pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);

  pthread_cond_destroy(&ready);
  pthread_join(thread, NULL);
  return 0;
}
