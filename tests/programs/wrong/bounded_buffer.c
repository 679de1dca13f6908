// Two producers and a consumer around a bounded buffer; what is put into it is counted outside of the lock.
// expect: assertion; lost update on buffer.put; lines 27 44; dsp 7
#include <assert.h>
#include <pthread.h>

enum { kPlaces = 4, kEach = 2 };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  const int* places[kPlaces];
  int in, out;
  int put;
} buffer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};

static const int items[2] = {10, 20};
static int sum;

static void* produce(void* number) {
  for (int i = 0; i < kEach; ++i) {
    pthread_mutex_lock(&buffer.mutex);
    const int place = buffer.in;
    buffer.in = (place + 1) % kPlaces;
    buffer.places[place] = &items[(long)number];
    pthread_cond_signal(&buffer.filled);
    pthread_mutex_unlock(&buffer.mutex);
    ++buffer.put;
  }
  return NULL;
}

static void* consume(void* unused) {
  for (int i = 0; i < 2 * kEach; ++i) {
    pthread_mutex_lock(&buffer.mutex);
    while (!buffer.places[buffer.out]) pthread_cond_wait(&buffer.filled, &buffer.mutex);
    sum += *buffer.places[buffer.out];
    buffer.places[buffer.out] = NULL;
    buffer.out = (buffer.out + 1) % kPlaces;
    pthread_mutex_unlock(&buffer.mutex);
  }
  return unused;
}

static void check(void) { assert(sum != 60 || buffer.put == 2 * kEach); }

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, produce, (void*)i);
  pthread_create(&threads[2], NULL, consume, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  check();
  return 0;
}
