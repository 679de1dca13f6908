// The queue is freed, with its mutex, while a thread is about to lock it.
// expect: signal 11; order violation on queue; lines 13 21 24; dsp 6
#include <pthread.h>
#include <stdlib.h>

struct queue {
  pthread_mutex_t lock;
  int length;
};

static void* adder(void* argument) {
  struct queue* queue = argument;
  pthread_mutex_lock(&queue->lock);
  ++queue->length;
  pthread_mutex_unlock(&queue->lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct queue* queue = calloc(1, sizeof *queue);
  pthread_mutex_init(&queue->lock, NULL);
  pthread_create(&thread, NULL, adder, queue);
  free(queue);
  pthread_join(thread, NULL);
  return 0;
}
