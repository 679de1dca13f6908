// Who puts an item in signals the condition of those who wait for room: who waits for an item is not woken.
// expect: deadlock; other path; decision 26
// called: lost wake-up on filled
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (items == 1) pthread_cond_wait(&emptied, &lock);
    items++;
    pthread_cond_signal(&emptied); // the wrong one
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void *consumer(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    // tests and waits under the lock, in a loop, as it should
    while (items == 0) pthread_cond_wait(&filled, &lock);
    items--;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, consumer, NULL);
  pthread_create(&threads[1], NULL, producer, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(items == 0);
  return 0;
}
