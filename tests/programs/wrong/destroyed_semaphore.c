// A semaphore is destroyed as soon as it was waited for, and posted once more.
// expect: signal 11; order violation on job.done; lines 14 24; dsp 10
#include <pthread.h>
#include <semaphore.h>

struct job {
  sem_t done;
  int parts;
};

static void* work(void* argument) {
  struct job* job = argument;
  for (int i = 0; i < 2; ++i)
    sem_post(&job->done);
  return NULL;
}

int main(void) {
  static struct job job;
  pthread_t thread;
  sem_init(&job.done, 0, 0);
  pthread_create(&thread, NULL, work, &job);
  sem_wait(&job.done);
  sem_destroy(&job.done);
  pthread_join(thread, NULL);
  return 0;
}
