// A reader lets its lock go to become a writer, and trusts what it read.
// expect: assertion; other path; decision 11 or 13
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int free_seats = 1, taken;

static void* book(void* unused) {
  pthread_rwlock_rdlock(&lock);
  int available = free_seats > 0;
  pthread_rwlock_unlock(&lock);
  if (!available) return unused;
  pthread_rwlock_wrlock(&lock);
  --free_seats;
  ++taken;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, book, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(free_seats >= 0);
  return 0;
}
