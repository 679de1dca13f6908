// Producers and consumers share a buffer as they should; how much was produced is counted without the lock.
// expect: assertion; lost update on produced; lines 35; dsp 8
#include <assert.h>
#include <pthread.h>

enum { kSlots = 4, kItems = 48 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t notFull = PTHREAD_COND_INITIALIZER, notEmpty = PTHREAD_COND_INITIALIZER;
static int slots[kSlots], head, tail, filled;
static long produced;

static void put(int item) {
  pthread_mutex_lock(&mutex);
  while (filled == kSlots) pthread_cond_wait(&notFull, &mutex);
  slots[tail] = item;
  tail = (tail + 1) % kSlots;
  ++filled;
  pthread_cond_signal(&notEmpty);
  pthread_mutex_unlock(&mutex);
}

static void take(void) {
  pthread_mutex_lock(&mutex);
  while (filled == 0) pthread_cond_wait(&notEmpty, &mutex);
  slots[head] = 0;
  head = (head + 1) % kSlots;
  --filled;
  pthread_cond_signal(&notFull);
  pthread_mutex_unlock(&mutex);
}

static void* producer(void* unused) {
  for (int i = 1; i <= kItems; ++i) {
    put(i);
    if (i % 8 == 0) produced += 8;
  }
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < kItems; ++i) take();
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, i % 2 ? consumer : producer, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert(produced == 2 * kItems);
  return 0;
}
