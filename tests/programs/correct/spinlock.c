// A counter behind a spinlock.
// expect: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int count, missed;

static void* worker(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_spin_lock(&lock);
    ++count;
    pthread_spin_unlock(&lock);
  }
  if (pthread_spin_trylock(&lock) == 0) {
    ++count;
    pthread_spin_unlock(&lock);
  } else {
    __atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
  }
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(count + missed == 8);
  pthread_spin_destroy(&lock);
  return 0;
}
