// Two consumers check once instead of in a loop: both are woken for one element.
// expect: assertion; other path; decision 13 or 12
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int elements;

static void* consumer(void* unused) {
  pthread_mutex_lock(&mutex);
  if (elements == 0) pthread_cond_wait(&filled, &mutex);
  assert(elements > 0);
  --elements;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* producer(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++elements;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, consumer, NULL);
  pthread_create(&threads[1], NULL, consumer, NULL);
  pthread_create(&threads[2], NULL, producer, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
