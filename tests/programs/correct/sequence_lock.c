// Readers try again until no update came in between.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int version, low, high;

static void* writer(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    ++version;
    low = i;
    high = -i;
    ++version;
  }
  return unused;
}

static void* reader(void* unused) {
  for (;;) {
    int before = version, a = low, b = high;
    if (before % 2 == 0 && version == before) {
      assert(a + b == 0);
      return unused;
    }
    sched_yield();
  }
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, reader, NULL);
  pthread_create(&threads[1], NULL, writer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
