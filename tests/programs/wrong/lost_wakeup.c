// The flag is set and signalled without the lock: a waiter that has just looked sleeps for ever.
// expect: deadlock; lost wake-up on changed; lines 19 30; dsp 4
// class: lost wake-up
// says: sets ready (line 29) without mutex|signal (line 30)
// says: Hold mutex
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void* waiter(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!ready) {
    usleep(50000);
    usleep(50000);
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  usleep(50000);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_join(thread, NULL);
  return 0;
}
