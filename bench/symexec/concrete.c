// Nothing of what is computed is shared: arithmetic, branches, calls, private arrays.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint32_t mix(uint32_t value, uint32_t with) {
  value ^= with;
  return value * 2654435761u + (value >> 15);
}

static void* work(void* rounds) {
  uint32_t table[256], sum = 1;
  for (uint32_t i = 0; i < 256; ++i) table[i] = i * i;
  for (long round = 0; round < (long)rounds; ++round)
    for (uint32_t i = 0; i < 256; ++i) {
      sum = mix(sum, table[(sum ^ i) & 255]);
      if (sum & 1) table[i] += sum >> 3;
    }
  return (void*)(long)sum;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, (void*)1500L);
  void* result;
  pthread_join(thread, &result);
  assert(result == 0);
  return 0;
}
