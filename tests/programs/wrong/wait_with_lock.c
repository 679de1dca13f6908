// A thread waits for a token while it holds the mutex that whoever brings the token needs.
// expect: deadlock; deadlock on mutex; lines 13 14 22; dsp 4
// class: deadlock
// says: holds mutex|waits for a token of tokens|waits for mutex
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t tokens;
static int stock = 1, sold;

static void* customer(void* unused) {
  pthread_mutex_lock(&mutex);
  if (stock == 0) sem_wait(&tokens);
  --stock;
  ++sold;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* supplier(void* unused) {
  pthread_mutex_lock(&mutex);
  ++stock;
  pthread_mutex_unlock(&mutex);
  sem_post(&tokens);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  sem_init(&tokens, 0, 0);
  pthread_create(&threads[0], NULL, supplier, NULL);
  pthread_create(&threads[1], NULL, customer, NULL);
  pthread_create(&threads[2], NULL, customer, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return sold == 2 ? 0 : 1;
}
