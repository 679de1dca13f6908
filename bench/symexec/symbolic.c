// Two threads read what the other writes in every fourth round; about a tenth of what is executed depends on it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static volatile uint32_t shared[64];
static uint32_t total;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* number) {
  uint32_t sum = 1, own = (uint32_t)(long)number;
  for (uint32_t round = 0; round < 20000; ++round) {
    for (uint32_t i = 0; i < 4; ++i) own = own * 1103515245u + (own >> 7 ^ i);
    if (round % 4 == 0) {
      sum = (sum ^ shared[own & 63]) * 31u + 7u;
      shared[own >> 8 & 63] = sum + own;
      sum = own;
    }
  }
  pthread_mutex_lock(&mutex);
  total += sum;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(total == 0);
  return 0;
}
