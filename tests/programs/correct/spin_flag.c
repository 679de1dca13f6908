// Waiting in a loop for a flag, with a yield.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;
static int data;

static void* waiter(void* unused) {
  while (!atomic_load(&ready)) sched_yield();
  assert(data == 42);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  data = 42;
  atomic_store(&ready, 1);
  pthread_join(thread, NULL);
  return 0;
}
