// A block compressor, most of whose points are in blocks that were handed over in good order. Main frees the queues too early.
// expect: signal 11; order violation on out; lines 45 129; dsp 6
// not at: path addresses
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define BLOCKS 6
#define SIZE 4096
#define WORKERS 2
#define SLOTS 4
struct block {
  unsigned char* data;
  size_t length;
  unsigned char* packed;
  size_t packedLength;
};
struct queue {
  struct block* slots[SLOTS];
  int head, count, closed;
  pthread_mutex_t mutex;
  pthread_cond_t filled, emptied;
};
static struct queue *in, *out;
static int working = WORKERS;
static pthread_mutex_t workingMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t doneMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t doneCond = PTHREAD_COND_INITIALIZER;
static int written;
static struct queue* newQueue(void) {
  struct queue* q = calloc(1, sizeof *q);
  pthread_mutex_init(&q->mutex, NULL);
  pthread_cond_init(&q->filled, NULL);
  pthread_cond_init(&q->emptied, NULL);
  return q;
}
static void put(struct queue* q, struct block* b) {
  pthread_mutex_lock(&q->mutex);
  while (q->count == SLOTS) pthread_cond_wait(&q->emptied, &q->mutex);
  q->slots[(q->head + q->count++) % SLOTS] = b;
  pthread_cond_signal(&q->filled);
  pthread_mutex_unlock(&q->mutex);
}
static struct block* get(struct queue* q) {
  struct block* b = NULL;
  pthread_mutex_lock(&q->mutex);
  while (!q->count && !q->closed) pthread_cond_wait(&q->filled, &q->mutex);
  if (q->count) {
    b = q->slots[q->head];
    q->head = (q->head + 1) % SLOTS;
    --q->count;
    pthread_cond_signal(&q->emptied);
  }
  pthread_mutex_unlock(&q->mutex);
  return b;
}
static void closeQueue(struct queue* q) {
  pthread_mutex_lock(&q->mutex);
  q->closed = 1;
  pthread_cond_broadcast(&q->filled);
  pthread_mutex_unlock(&q->mutex);
}
static size_t pack(const unsigned char* from, size_t length, unsigned char* to) {
  unsigned char order[256];
  size_t at = 0;
  for (int i = 0; i < 256; ++i) order[i] = (unsigned char)i;
  for (size_t i = 0; i < length; ++i) { // move to front, runs
    unsigned char j = 0;
    while (order[j] != from[i]) ++j;
    memmove(order + 1, order, j);
    order[0] = from[i];
    if (at && to[at - 1] == j && at > 1 && to[at - 2] < 255)
      ++to[at - 2];
    else {
      to[at++] = 1;
      to[at++] = j;
    }
  }
  return at;
}
static void* reader(void* nothing) {
  unsigned x = 1;
  for (int n = 0; n < BLOCKS; ++n) {
    struct block* b = calloc(1, sizeof *b);
    b->data = malloc(SIZE);
    b->length = SIZE;
    for (int i = 0; i < SIZE; ++i) {
      x = x * 1103515245 + 12345;
      b->data[i] = (unsigned char)((x >> 16) % 7);
    }
    put(in, b);
  }
  closeQueue(in);
  return nothing;
}
static void* worker(void* nothing) {
  for (struct block* b; (b = get(in));) {
    b->packed = malloc(2 * SIZE);
    b->packedLength = pack(b->data, b->length, b->packed);
    free(b->data);
    put(out, b);
  }
  pthread_mutex_lock(&workingMutex);
  int last = --working == 0;
  pthread_mutex_unlock(&workingMutex);
  if (last) closeQueue(out);
  return nothing;
}
static void* writer(void* nothing) {
  for (struct block* b; (b = get(out));) {
    pthread_mutex_lock(&doneMutex);
    if (++written == BLOCKS) pthread_cond_signal(&doneCond);
    pthread_mutex_unlock(&doneMutex);
    free(b->packed);
    free(b);
  }
  return nothing;
}
int main(void) {
  pthread_t threads[WORKERS + 2];
  in = newQueue();
  out = newQueue();
  pthread_create(&threads[0], NULL, reader, NULL);
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[1 + i], NULL, worker, NULL);
  pthread_create(&threads[WORKERS + 1], NULL, writer, NULL);
  pthread_mutex_lock(&doneMutex);
  while (written < BLOCKS) pthread_cond_wait(&doneCond, &doneMutex);
  pthread_mutex_unlock(&doneMutex);
  free(in);
  free(out); // the writer may still look whether there is more
  for (int i = 0; i < WORKERS + 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
