// Both workers end with the lock: whoever is second waits, in every run. The order decides who, and nothing else.
// expect: deadlock; always
// hint: Release guard on every way out of what line 10 begins.
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void* enter(void* unused) {
  pthread_mutex_lock(&guard);
  ++entries;
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, enter, 0);
  pthread_create(&second, 0, enter, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return entries != 2;
}
