/* 64 threads at once; callbacks through a static library, switch tables, recursion. Ends with status 7. */
#include "library.h"
#include <pthread.h>
#include <stdint.h>

static int results[64];

static int weigh(int x) {
  switch (x & 15) {
  case 0: return 1;
  case 1: return x;
  case 2: return -x;
  case 3: return x * x;
  case 4: return 7;
  case 5: return x > 20 ? 2 : 3;
  case 9: return 11;
  default: return 0;
  }
}

static void* work(void* number) {
  const int mine = (int)(intptr_t)number;
  results[mine] = apply(mine, mine + 20, weigh);
  return 0;
}

int main(void) {
  pthread_t threads[64];
  for (intptr_t i = 0; i < 64; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  int sum = 0;
  for (int i = 0; i < 64; ++i) {
    pthread_join(threads[i], 0);
    sum += results[i];
  }
  return sum == 0 ? 8 : 7;
}
