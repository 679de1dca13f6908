// The creator moves both limits to constants while the worker compares them.
// expect: assertion; multi-variable inconsistency on low and high; lines 11 20 or 11 21; dsp 5
// hint: Make T0's lines 20–21 one atomic region
#include <assert.h>
#include <pthread.h>

static int low = 1, high = 9;

static void* checker(void* unused) {
  for (int i = 0; i < 3; ++i)
    assert(low < high);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, checker, 0);
  // From here on the limits are shared: neither may be seen without the other.
  // The new range lies behind the old one.
  low = 20;
  high = 29;
  return pthread_join(thread, 0);
}
