// Threads are cancelled in sem_wait and in pthread_join; what they did before and their cleanups count.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static int cleaned;
static void cleanup(void* amount) { __atomic_fetch_add(&cleaned, *(int*)amount, __ATOMIC_SEQ_CST); }
static void* waits(void* unused) {
  int one = 1;
  pthread_cleanup_push(cleanup, &one);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return unused;
}
static void* joins(void* other) {
  int one = 2;
  void* result = 0;
  pthread_cleanup_push(cleanup, &one);
  pthread_join(*(pthread_t*)other, &result);
  pthread_cleanup_pop(0);
  return result;
}
int main(void) {
  pthread_t first, second;
  void *a, *b;
  sem_init(&never, 0, 0);
  pthread_create(&first, 0, waits, 0);
  pthread_create(&second, 0, joins, &first);
  pthread_cancel(second);
  pthread_join(second, &b);
  pthread_cancel(first);
  pthread_join(first, &a);
  assert(a == PTHREAD_CANCELED && b == PTHREAD_CANCELED && cleaned == 3);
  return 0;
}
