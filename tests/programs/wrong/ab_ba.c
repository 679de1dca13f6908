// Two locks, taken in both orders.
// expect: deadlock; deadlock on a and b; lines 13 15 23 25; dsp 4
// class: deadlock
// says: holds a (line 13)|waits for b (line 15)|holds b (line 23)|waits for a (line 25)
// says: a and b in the same order
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void* forwards(void* unused) {
  pthread_mutex_lock(&a);
  usleep(50000);
  pthread_mutex_lock(&b);
  ++shared;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

static void* backwards(void* unused) {
  pthread_mutex_lock(&b);
  usleep(50000);
  pthread_mutex_lock(&a);
  ++shared;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, forwards, NULL);
  pthread_create(&two, NULL, backwards, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return shared == 2 ? 0 : 1;
}
