// Three threads add to counters, one of them without the lock; what is printed depends on the schedule.
// expect: assertion; lost update on careless; lines 21 24 45; dsp 8
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int careful, careless;
static int* history;

static void* worker(void* argument) {
  long number = (long)argument;
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&mutex);
    ++careful;
    history[careful] = (int)number;
    pthread_mutex_unlock(&mutex);
    int before = careless;
    if (i == 1) usleep(10);
    if (i == 2) sched_yield();
    careless = before + 1;
    if (pthread_mutex_trylock(&mutex) == 0) {
      ++history[0];
      pthread_mutex_unlock(&mutex);
    }
    int* block = malloc(16);
    *block = careless;
    free(block);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  history = calloc(13, sizeof *history);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("careful %d careless %d tried %d:", careful, careless, history[0]);
  for (int i = 1; i <= 12; ++i) printf(" %d", history[i]);
  printf("\n");
  fflush(stdout);
  assert(careless == careful);
  free(history);
  return 0;
}
