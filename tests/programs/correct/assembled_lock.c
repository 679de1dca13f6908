// Atomic operations in inline assembly: compare and exchange, exchange, add, and what their flags say.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int held, count, left = 2, mask;

static int exchange(int* place, int expected, int desired) {
  int found;
  __asm__ __volatile__("lock; cmpxchgl %2, %1"
                       : "=a"(found), "+m"(*place)
                       : "r"(desired), "0"(expected)
                       : "memory");
  return found;
}

static int isLast(int* place) {
  unsigned char zero;
  __asm__ __volatile__("lock decl %0\n\tsete %1" : "+m"(*place), "=q"(zero)::"memory");
  return zero;
}

static void* worker(void* argument) {
  const int bit = (int)(long)argument;
  while (exchange(&held, 0, 1) != 0) __asm__ __volatile__("rep; nop" ::: "memory");
  ++count;
  int none = 0;
  __asm__ __volatile__("xchgl %0, %1" : "+r"(none), "+m"(held)::"memory");
  assert(none == 1);
  __asm__ __volatile__("lock orl %1, %0" : "+m"(mask) : "ir"(bit) : "memory");
  if (isLast(&left)) assert(mask == 3);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2 && left == 0);
  __asm__ __volatile__("lock; addl $40, %0" : "+m"(count)::"memory");
  assert(count == 42);
  return 0;
}
