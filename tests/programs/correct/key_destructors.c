// What a thread leaves behind is collected by the destructors of its keys; one thread is detached.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int collected;

static void collect(void* value) {
  pthread_mutex_lock(&mutex);
  collected += *(int*)value;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  free(value);
}

static void* worker(void* number) {
  int* value = malloc(sizeof *value);
  *value = *(int*)number;
  pthread_setspecific(key, value);
  if (*value == 2) pthread_exit(0);
  return pthread_getspecific(key);
}

int main(void) {
  pthread_key_create(&key, collect);
  int numbers[3] = {1, 2, 4};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, &numbers[i]);
  pthread_detach(threads[2]);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  pthread_mutex_lock(&mutex);
  while (collected != 7) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
