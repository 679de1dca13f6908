// Nothing but scheduling points: two threads that count, as often as the argument says.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long shared;

static void* count(void* times) {
  for (long i = *(long*)times; i > 0; --i) atomic_store_explicit(&shared, i, memory_order_relaxed);
  return NULL;
}

int main(int argc, char** argv) {
  long times = argc > 1 ? atol(argv[1]) : 1000;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, &times);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return shared == 1 ? 0 : 1;
}
