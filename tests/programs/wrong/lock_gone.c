// The queue is taken away by one thread while the other is about to lock it.
// expect: signal 11; order violation on queue; lines 15 27; dsp 4
#include <pthread.h>
#include <stdlib.h>

struct queue {
  int length;
  pthread_mutex_t lock;
};

static struct queue* volatile queue;
static struct queue* whole; // the same, for who has the lock

static void* producer(void* unused) {
  pthread_mutex_lock(&queue->lock);
  whole->length++;
  pthread_mutex_unlock(&whole->lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct queue* mine = calloc(1, sizeof *mine);
  pthread_mutex_init(&mine->lock, NULL);
  queue = whole = mine;
  pthread_create(&thread, NULL, producer, NULL);
  queue = NULL;
  queue = mine;
  pthread_join(thread, NULL);
  return 0;
}
