// A thread is cancelled while it holds a lock, and has no cleanup that releases it.
// expect: deadlock; other path
// hint: Release lock on every way out
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int progress;

static void *worker(void *unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    progress++;
    usleep(100); // a place where it can be cancelled
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  usleep(150);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);
  const int done = progress;
  pthread_mutex_unlock(&lock);
  return done < 0;
}
