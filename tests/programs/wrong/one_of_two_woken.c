// Two threads wait until the gate is open; who opens it signals, and only one of them goes on.
// expect: deadlock; other path; decision 14 or 15
// called: lost wake-up on opened
// hint: Wake all who wait
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int isOpen, through;

static void* pass(void* unused) {
  pthread_mutex_lock(&lock);
  // The test is right, and under the lock.
  while (!isOpen) pthread_cond_wait(&opened, &lock);
  through = through + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, pass, 0);
  pthread_mutex_lock(&lock);
  isOpen = 1;
  pthread_cond_signal(&opened);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return through == 2 ? 0 : 1;
}
