// The initialiser takes a lock, and somebody who has the lock waits for the initialiser.
// expect: deadlock; deadlock on mutex and once; lines 15 21 26 28; dsp 4
// class: deadlock
// says: runs once (line 21)|waits for mutex (line 15)|holds mutex (line 26)|waits for once (line 28)
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int table, lookups;

static void fill(void) {
  usleep(50000);
  pthread_mutex_lock(&mutex);
  table = 42;
  pthread_mutex_unlock(&mutex);
}

static void* prepare(void* unused) {
  pthread_once(&once, fill);
  return unused;
}

static void* look_up(void* unused) {
  pthread_mutex_lock(&mutex);
  usleep(50000);
  pthread_once(&once, fill);
  lookups += table;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, prepare, NULL);
  pthread_create(&two, NULL, look_up, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return lookups == 42 ? 0 : 1;
}
