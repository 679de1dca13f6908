// Two threads drop the last reference: the count is looked at outside of the lock that protects it.
// expect: signal 11; atomicity violation on buffer->references; lines 16 26; dsp 8
#include <pthread.h>
#include <stdlib.h>

struct buffer {
  int references;
  char bytes[200];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void drop(struct buffer* buffer) {
  pthread_mutex_lock(&lock);
  buffer->references--;
  pthread_mutex_unlock(&lock);
  if (buffer->references == 0) free(buffer);
}

static void* reader(void* buffer) {
  drop(buffer);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  struct buffer* buffer = calloc(1, sizeof *buffer);
  buffer->references = 2;
  pthread_create(&one, NULL, reader, buffer);
  pthread_create(&two, NULL, reader, buffer);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
