// The owner of a robust mutex ends without releasing it; who comes next is told and makes it usable again.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int value = 1;

static void* dies(void* unused) {
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  value = 2;
  return unused;
}

static void* repairs(void* unused) {
  int got = pthread_mutex_lock(&mutex);
  if (got == EOWNERDEAD) {
    assert(value == 2);
    pthread_mutex_consistent(&mutex);
  } else {
    assert(got == 0 && value == 1);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t one, two;
  pthread_create(&one, 0, dies, 0);
  pthread_create(&two, 0, repairs, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
