// A semaphore with one token too many guards a counter.
// expect: exit 1; lost update on counter; lines 12 13 24; dsp 6
#include <pthread.h>
#include <semaphore.h>

static sem_t guard;
static int counter;

static void* add(void* unused) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&guard);
    int before = counter;
    counter = before + 1;
    sem_post(&guard);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&guard, 0, 2);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return counter == 4 ? 0 : 1;
}
