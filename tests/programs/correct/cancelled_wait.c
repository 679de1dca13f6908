// A thread is cancelled while it waits; its cleanup releases the mutex.
// expect: pass
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void cleanup(void* amount) {
  cleaned += *(int*)amount;
  pthread_mutex_unlock(&mutex);
}

static void* waits(void* unused) {
  int one = 1;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(cleanup, &one);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, 0, waits, 0);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && cleaned == 1);
  pthread_mutex_lock(&mutex);
  assert(cleaned == 1);
  pthread_mutex_unlock(&mutex);
  return 0;
}
