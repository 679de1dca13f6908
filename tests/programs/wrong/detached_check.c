// A detached auditor finds the books open; main closes them and returns without waiting for it.
// expect: assertion; order violation on books.open; lines 15 25; dsp 4
#include <assert.h>
#include <pthread.h>

static struct {
  pthread_mutex_t mutex;
  int open, entries;
} books = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void* audit(void* unused) {
  pthread_mutex_lock(&books.mutex);
  const int entries = books.entries;
  pthread_mutex_unlock(&books.mutex);
  assert(!books.open || entries > 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, audit, NULL);
  pthread_detach(thread);
  pthread_mutex_lock(&books.mutex);
  pthread_mutex_unlock(&books.mutex);
  books.open = 1;
  return 0;
}
