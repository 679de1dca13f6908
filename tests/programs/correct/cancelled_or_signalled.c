// Two threads that wait are cancelled while a third one signals: each is woken by the one or the other.
// expect: pass
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int cleaned, rounds;

static void cleanup(void* amount) {
  cleaned += *(int*)amount;
  pthread_mutex_unlock(&mutex);
}

static void* waits(void* unused) {
  int one = 1;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(cleanup, &one);
  for (;;) {
    pthread_cond_wait(&more, &mutex);
    ++rounds;
  }
  pthread_cleanup_pop(0);
  return unused;
}

static void* signals(void* unused) {
  pthread_cond_signal(&more);
  pthread_cond_broadcast(&more);
  return unused;
}

int main(void) {
  pthread_t first, second, third;
  void* result;
  pthread_create(&first, 0, waits, 0);
  pthread_create(&second, 0, waits, 0);
  pthread_create(&third, 0, signals, 0);
  pthread_cancel(first);
  pthread_cancel(second);
  pthread_join(first, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_join(second, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_join(third, 0);
  assert(cleaned == 2 && rounds <= 3);
  return 0;
}
