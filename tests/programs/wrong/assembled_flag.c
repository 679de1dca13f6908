// A gate of one bit in inline assembly, as old code has it: the bit is given back before the sum is.
// expect: assertion; lost update on sum; lines 27; dsp 6
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static unsigned long gate;
static int tickets, sum;

static int take(unsigned long* bits) {
  unsigned char was;
  __asm__ __volatile__("lock; btsq $0, %0; setc %1" : "+m"(*bits), "=q"(was)::"memory", "cc");
  return !was;
}

static void release(unsigned long* bits) {
  __asm__ __volatile__("lock; btrq $0, %0" : "+m"(*bits)::"memory", "cc");
}

static void* visitor(void* nothing) {
  int one = 1;
  while (!take(&gate)) __asm__ __volatile__("pause" ::: "memory");
  __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(one), "+m"(tickets)::"memory", "cc");
  release(&gate);
  const int before = sum;
  __asm__ __volatile__("mfence" ::: "memory");
  sum = before + 1;
  return nothing;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, visitor, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(tickets == 2 && sum == 2);
  return 0;
}
