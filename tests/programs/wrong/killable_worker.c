// Workers make themselves killable at any time, as some servers do, and count without a lock.
// expect: assertion; lost update on jobs; lines 10 11; dsp 4
#include <assert.h>
#include <pthread.h>

static int jobs;

static void* worker(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  const int before = jobs;
  jobs = before + 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(jobs == 2);
  return 0;
}
