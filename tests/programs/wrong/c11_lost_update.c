// C11 threads: the sum is read and written in two critical sections.
// expect: assertion; lost update on sum; lines 11 14 26; dsp 4
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int sum;

static int add(void* unused) {
  mtx_lock(&mutex);
  int seen = sum;
  mtx_unlock(&mutex);
  mtx_lock(&mutex);
  sum = seen + 1;
  mtx_unlock(&mutex);
  return unused != 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  thrd_t one, two;
  thrd_create(&one, add, 0);
  thrd_create(&two, add, 0);
  thrd_join(one, 0);
  thrd_join(two, 0);
  assert(sum == 2);
  return 0;
}
