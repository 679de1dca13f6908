// A reference count is decremented and looked at in two steps: both owners think that they were the last.
// expect: assertion; other path; decision 11
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 2, destroyed;

static void* release(void* unused) {
  atomic_fetch_sub(&references, 1);
  if (references == 0) ++destroyed;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, release, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(destroyed == 1);
  return 0;
}
