// The mutex is destroyed while a thread is about to lock it. libc refuses, and nobody looks at what lock returns.
// expect: signal 11; order violation on lock; lines 9 20; dsp 6
#include <pthread.h>

static pthread_mutex_t lock;
static int count;

static void* adder(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&lock, NULL);
  pthread_create(&thread, NULL, adder, NULL);
  // pthread_join belongs here.
  pthread_mutex_destroy(&lock);
  pthread_join(thread, NULL);
  return 0;
}
