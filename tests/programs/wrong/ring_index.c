// Two producers take a place in a ring buffer without a lock.
// expect: assertion; lost update on tail; lines 12 13; dsp 7
#include <assert.h>
#include <pthread.h>

enum { kSize = 8 };
static int ring[kSize];
static unsigned tail;

static void* produce(void* argument) {
  const int value = (int)(long)argument;
  const unsigned place = tail;
  tail = (place + 1) % kSize;
  ring[place] = value;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, produce, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(ring[0] + ring[1] == 3);
  return 0;
}
