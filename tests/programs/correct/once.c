// An initialiser that runs once, whoever comes first.
// expect: pass
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value, times;

static void initialise(void) {
  ++times;
  value = 42;
}
static void* user(void* unused) {
  pthread_once(&once, initialise);
  assert(value == 42 && times == 1);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, user, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
