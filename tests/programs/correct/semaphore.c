// A counter behind a semaphore with one token, and a hand-over by another.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t guard, ready;
static int counter;

static void* add(void* unused) {
  for (int i = 0; i < 3; ++i) {
    sem_wait(&guard);
    ++counter;
    sem_post(&guard);
  }
  sem_post(&ready);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&guard, 0, 1);
  sem_init(&ready, 0, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) sem_wait(&ready);
  assert(counter == 6);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
