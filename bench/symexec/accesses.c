// A million accesses to shared memory.
#include <assert.h>
#include <pthread.h>

static volatile int counters[16];

static void* work(void* number) {
  for (int i = 0; i < 250000; ++i) counters[(i + (int)(long)number) & 15] += 1;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(counters[0] == 0);
  return 0;
}
