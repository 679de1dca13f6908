// One of the writers takes the spinlock, the other forgets it.
// expect: assertion; lost update on sum; lines 11 12 24; dsp 5
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int sum;

static void* add(void* careful) {
  if (careful) pthread_spin_lock(&lock);
  int seen = sum;
  sum = seen + 1;
  if (careful) pthread_spin_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_spin_init(&lock, 0);
  pthread_t one, two;
  pthread_create(&one, 0, add, &one);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(sum == 2);
  return 0;
}
