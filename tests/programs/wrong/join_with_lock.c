// The lock is held while waiting for a thread that needs it.
// expect: deadlock; deadlock on mutex; lines 12 19 21; dsp 4
// class: deadlock
// says: holds mutex (line 19)|waits for T1 to end (line 21)|T1 waits for mutex (line 12)
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* add(void* unused) {
  pthread_mutex_lock(&mutex), ++total;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  pthread_mutex_lock(&mutex);
  usleep(50000);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&mutex);
  return total == 1 ? 0 : 1;
}
