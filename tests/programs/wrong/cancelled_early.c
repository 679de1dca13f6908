// The cleanup of a cancelled thread hands over its result, and main looks at it without joining.
// expect: assertion; order violation on total; lines 11 32; dsp 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int total, work;

static void handOver(void* sum) {
  total = *(int*)sum;
  pthread_mutex_unlock(&mutex);
}

static void* adds(void* unused) {
  int sum = 5;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(handOver, &sum);
  for (;;) {
    pthread_cond_wait(&more, &mutex);
    sum += work;
  }
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, adds, 0);
  pthread_cancel(thread);
  pthread_mutex_lock(&mutex);
  int seen = total;
  pthread_mutex_unlock(&mutex);
  assert(seen == 5);
  pthread_join(thread, 0);
  return 0;
}
