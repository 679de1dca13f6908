// The sum is taken before the barrier that should precede it.
// expect: exit 1; order violation on parts[1]; lines 10 11 21; dsp 4
#include <pthread.h>

static pthread_barrier_t barrier;
static int parts[2], sums[2];

static void* worker(void* argument) {
  long me = (long)argument;
  parts[me] = 1;
  sums[me] = parts[0] + parts[1];
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 2);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return sums[0] == 2 && sums[1] == 2 ? 0 : 1;
}
// or: order violation on parts[0]
