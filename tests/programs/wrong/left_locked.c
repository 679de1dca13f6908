// Who finds no job leaves without giving the lock back; the other one waits for it.
// expect: deadlock; deadlock on lock; lines 11 23; dsp 4
// hint: Release lock on every way out
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 1;
static int finished;

static int takeJob(void) {
  pthread_mutex_lock(&lock);
  if (jobs == 0)
    return 0;
  --jobs;
  pthread_mutex_unlock(&lock);
  return 1;
}

static void* worker(void* unused) {
  if (!takeJob())
    return unused;
  // The job itself would be here.
  pthread_mutex_lock(&lock);
  ++finished;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; ++i) pthread_create(&workers[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(workers[i], NULL);
  return finished == 1 ? 0 : 1;
}
