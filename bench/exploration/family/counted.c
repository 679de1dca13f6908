// A reference count that is decremented and then looked at, in two steps: of two threads that let go at once both
// may find that they were the last, or neither.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct Shared {
  atomic_int references;
  int value;
};

static atomic_int released;

static void letGo(struct Shared* shared) {
  atomic_fetch_sub(&shared->references, 1);
  if (atomic_load(&shared->references) == 0) atomic_fetch_add(&released, 1);
}

static void* use(void* argument) {
  struct Shared* shared = argument;
  shared->value = shared->value + 1;
  letGo(shared);
  return 0;
}

int main(void) {
  struct Shared* shared = malloc(sizeof *shared);
  atomic_init(&shared->references, 4);
  shared->value = 0;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, use, shared);
  letGo(shared);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  free(shared);
  assert(atomic_load(&released) == 1);
  return 0;
}
