// A hash map with chains, a lock per stripe, four threads that insert and look up.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBuckets = 1 << 14, kStripes = 64, kThreads = 4 };
struct Node {
  struct Node* next;
  unsigned long key, count;
};
static struct Node** buckets;
static pthread_mutex_t locks[kStripes];
static long operations;

static void add(unsigned long key) {
  const unsigned long bucket = (key * 0x9E3779B97F4A7C15ul) >> 50;
  pthread_mutex_lock(&locks[bucket % kStripes]);
  struct Node* node = buckets[bucket];
  while (node && node->key != key) node = node->next;
  if (!node) {
    node = malloc(sizeof *node);
    node->key = key;
    node->count = 0;
    node->next = buckets[bucket];
    buckets[bucket] = node;
  }
  ++node->count;
  pthread_mutex_unlock(&locks[bucket % kStripes]);
}

static void* work(void* argument) {
  unsigned long state = (unsigned long)argument + 1;
  for (long i = 0; i < operations; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    add(state % 200000);
  }
  return 0;
}

int main(int argc, char** argv) {
  operations = argc > 1 ? atol(argv[1]) : 700000;
  buckets = calloc(kBuckets, sizeof *buckets);
  for (int i = 0; i < kStripes; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  unsigned long total = 0;
  for (int i = 0; i < kBuckets; ++i)
    for (struct Node* node = buckets[i]; node; node = node->next) total += node->count;
  printf("%lu\n", total);
  return total != (unsigned long)operations * kThreads;
}
