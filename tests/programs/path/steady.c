/* Threads whose paths do not depend on each other, for a while: whatever is cut off, the rest is a beginning of
 * it. */
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t total;

static uint32_t step(uint32_t x) {
  switch (x % 5) {
  case 0: return x * 1664525u + 1;
  case 1: return x / 3 + 7;
  case 2: return x ^ 0x5bd1e995u;
  default: return x * 22695477u + 11;
  }
}

static void* work(void* seed) {
  uint32_t x = (uint32_t)(uintptr_t)seed;
  for (int i = 0; i < 8000; ++i) {
    x = step(x);
    if (i % 500 == 0) {
      pthread_mutex_lock(&mutex);
      total += x;
      pthread_mutex_unlock(&mutex);
    }
  }
  return 0;
}

int main(void) {
  pthread_t threads[4];
  for (int round = 0; round < 4; ++round) {
    for (uintptr_t i = 0; i < 4; ++i) pthread_create(&threads[i], 0, work, (void*)(i * 4 + (uintptr_t)round + 1));
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  }
  return 7;
}
