// A job is freed by its owner while the worker has yet to write the result into it.
// expect: signal 11; order violation on job; lines 14 21 25; dsp 6
#include <pthread.h>
#include <stdlib.h>

struct job {
  int input, result;
};
static struct job* next;

static void* worker(void* unused) {
  struct job* job = next;
  if (!job) return unused;
  const int doubled = 2 * job->input;
  job->result = doubled;
  return unused;
}

int main(void) {
  pthread_t thread;
  struct job* job = malloc(sizeof *job);
  job->input = 4;
  next = job;
  pthread_create(&thread, NULL, worker, NULL);
  free(job);
  pthread_join(thread, NULL);
  return 0;
}
