// A function that locks calls another one that locks the same mutex: no schedule helps.
// expect: deadlock; path
// class: deadlock
// alternate: none
// says: waits for mutex (line 10)|which it holds itself (line 15)
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void set(int to) {
  pthread_mutex_lock(&mutex);
  value = to;
  pthread_mutex_unlock(&mutex);
}
static void* reset(void* unused) {
  pthread_mutex_lock(&mutex);
  if (value >= 0) set(0);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reset, NULL);
  pthread_join(thread, NULL);
  return value;
}
