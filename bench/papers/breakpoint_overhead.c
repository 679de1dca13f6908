/* What triggers cost where they stand in the way of work: two threads add up hashes, and come to a trigger before
 * each. Prints the processor time that both took. Without -DTRIGGERS there are none.
 *   cc -O2 -DTRIGGERS -I<prefix>/include breakpoint_overhead.c -o overhead -pthread
 *   ./overhead; SYMBIOSIS_BREAKPOINTS=0 ./overhead; and built with -DSYMBIOSIS_BREAKPOINTS=0
 */
#ifdef TRIGGERS
#define SYMBIOSIS_NAME_THREADS
#include <symbiosis/breakpoints.h>
#else
#define SYMBIOSIS_REACHED(name, number, all, thread, nth) ((void)0)
#define SYMBIOSIS_AWAIT(name, number, all, thread, nth) ((void)0)
#endif
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { kRounds = 400000, kSteps = 200 };
static unsigned sums[2];

static unsigned hash(unsigned value) {
  for (int i = 0; i < kSteps; ++i) value = (value ^ (value >> 15)) * 0x2C1B3C6Du + 1;
  return value;
}

static void* first(void* unused) {
  for (unsigned i = 0; i < kRounds; ++i) {
    SYMBIOSIS_REACHED("overhead", 1, 1, "0.1", 1000);
    sums[0] = hash(i ^ sums[0]);
  }
  return unused;
}

static void* second(void* unused) {
  for (unsigned i = 0; i < kRounds; ++i) {
    SYMBIOSIS_AWAIT("overhead", 1, 1, "0.2", 1000);
    sums[1] = hash(i ^ sums[1] ^ 7);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  const clock_t begin = clock();
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  printf("%.3f s (%u)\n", (double)(clock() - begin) / CLOCKS_PER_SEC, sums[0] ^ sums[1]);
  return 0;
}
