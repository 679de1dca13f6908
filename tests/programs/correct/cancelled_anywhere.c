// Workers that may be cancelled at any instruction, while they compute and while they wait for a lock.
// expect: pass
// not walked: a thread that is cancelled between two calls has no exit in its trace
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned rounds;
static int cleaned;

static void clean(void* unused) {
  (void)unused;
  ++cleaned;
}

static void* compute(void* unused) {
  int before, again;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &again);
  if (before != PTHREAD_CANCEL_DEFERRED || again != PTHREAD_CANCEL_ASYNCHRONOUS) abort();
  for (;;) ++rounds;
  return unused;
}

static void* blocked(void* unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(clean, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  pthread_mutex_lock(&gate);
  pthread_cleanup_pop(0);
  return unused;
}

static void* finishes(void* number) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  return number;
}

int main(void) {
  pthread_t threads[3];
  void* result;
  pthread_mutex_lock(&gate);
  pthread_create(&threads[0], NULL, compute, NULL);
  pthread_create(&threads[1], NULL, blocked, NULL);
  pthread_create(&threads[2], NULL, finishes, &gate);
  for (int i = 0; i < 2; ++i) pthread_cancel(threads[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], &result);
  pthread_mutex_unlock(&gate);
  return cleaned != 1 || result != &gate;
}
