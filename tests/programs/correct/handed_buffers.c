// A worker fills buffers, looks at each once more and hands it out; main frees them and never looks inside.
// expect: pass
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long* current;
static long sum;

static void* work(void* unused) {
  for (int round = 0; round < 3; ++round) {
    long* own = calloc(8, sizeof *own);
    for (int i = 0; i < 4; ++i) own[i] = i;
    for (int i = 0; i < 4; ++i) sum += own[i];
    pthread_mutex_lock(&lock);
    long* before = current;
    current = own;
    pthread_mutex_unlock(&lock);
    free(before);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    long* gone = current;
    current = NULL;
    pthread_mutex_unlock(&lock);
    free(gone);
  }
  pthread_join(thread, NULL);
  free(current);
  return 0;
}
