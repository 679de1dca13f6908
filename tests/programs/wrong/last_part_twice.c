// A download ends with its last part. The count of those that are left is atomic, but changed in one step and read in
// another one: two workers find that they were the last.
// expect: assertion; other path; decision 14
// called: atomicity violation on left
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left = 2;
static int ended;

static void *worker(void *unused) {
  left--;
  if (left == 0) ended++; // the result of the step before is the one to test
  return unused;
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
  assert(ended == 1);
  return 0;
}
