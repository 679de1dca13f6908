// Two producers and two consumers at a bounded buffer; each item is a small block of work.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRoom = 64, kWords = 256, kPairs = 2 };
struct Item {
  unsigned words[kWords];
};
static struct Item* buffer[kRoom];
static int head, tail, filled;
static long items;
static unsigned long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t notEmpty = PTHREAD_COND_INITIALIZER, notFull = PTHREAD_COND_INITIALIZER;

static void* produce(void* argument) {
  unsigned state = (unsigned)(long)argument + 1;
  for (long i = 0; i < items; ++i) {
    struct Item* item = malloc(sizeof *item);
    for (int w = 0; w < kWords; ++w) item->words[w] = state = state * 1664525u + 1013904223u;
    pthread_mutex_lock(&lock);
    while (filled == kRoom) pthread_cond_wait(&notFull, &lock);
    buffer[tail++ % kRoom] = item;
    ++filled;
    pthread_cond_signal(&notEmpty);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void* consume(void* argument) {
  unsigned long sum = 0;
  for (long i = 0; i < items; ++i) {
    pthread_mutex_lock(&lock);
    while (filled == 0) pthread_cond_wait(&notEmpty, &lock);
    struct Item* item = buffer[head++ % kRoom];
    --filled;
    pthread_cond_signal(&notFull);
    pthread_mutex_unlock(&lock);
    unsigned hash = 2166136261u;
    for (int w = 0; w < kWords; ++w) hash = (hash ^ item->words[w]) * 16777619u;
    sum += hash;
    free(item);
  }
  pthread_mutex_lock(&lock);
  total += sum;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(int argc, char** argv) {
  items = argc > 1 ? atol(argv[1]) : 250000;
  pthread_t threads[2 * kPairs];
  for (long i = 0; i < 2 * kPairs; ++i) pthread_create(&threads[i], 0, i % 2 ? consume : produce, (void*)i);
  for (int i = 0; i < 2 * kPairs; ++i) pthread_join(threads[i], 0);
  printf("%lu\n", total);
  return 0;
}
