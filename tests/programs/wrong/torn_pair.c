// Readers look at the version only before they read, so that they may get half of an update.
// expect: assertion; multi-variable inconsistency on low and high; lines 12 21 22; dsp 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int version, low, high;

static void* writer(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    ++version; // odd: an update is under way
    low = i;
    high = -i;
    ++version;
  }
  return unused;
}

static void* reader(void* unused) {
  if (version % 2 == 0) {
    int a = low, b = high;
    assert(a + b == 0);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, reader, NULL);
  pthread_create(&threads[1], NULL, writer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
