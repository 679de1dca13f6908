// Each thread guards the total with a lock, but not with the same one.
// expect: assertion; lost update on total; lines 20 30; dsp 5
// hint: Two different locks
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER, safe = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* clerk(void* unused) {
  pthread_mutex_lock(&books);
  const int before = total;
  total = before + 1;
  pthread_mutex_unlock(&books);
  return unused;
}

static void* guard(void* unused) {
  pthread_mutex_lock(&safe);
  total = total + 1;
  pthread_mutex_unlock(&safe);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, clerk, NULL);
  pthread_create(&threads[1], NULL, guard, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(total == 2);
  return 0;
}
