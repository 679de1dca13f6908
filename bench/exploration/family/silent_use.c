// A cache entry is looked up, let go of by another thread that finds it old, and then read: nothing crashes, the
// memory is still mapped. Only a run in which the reader stands between look-up and read shows it.
#include <pthread.h>
#include <stdlib.h>

struct Entry {
  int key, value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Entry* table[4];
static int sum;

static struct Entry* find(int key) {
  pthread_mutex_lock(&lock);
  struct Entry* entry = table[key];
  pthread_mutex_unlock(&lock);
  return entry;
}

static void* read(void* unused) {
  for (int key = 0; key < 4; ++key) {
    struct Entry* entry = find(key);
    if (entry) sum += entry->value;
  }
  return unused;
}

static void* expire(void* unused) {
  pthread_mutex_lock(&lock);
  struct Entry* old = table[2];
  table[2] = 0;
  pthread_mutex_unlock(&lock);
  free(old);
  return unused;
}

int main(void) {
  for (int key = 0; key < 4; ++key) {
    table[key] = malloc(sizeof *table[key]);
    table[key]->key = key;
    table[key]->value = key;
  }
  pthread_t reader, expirer;
  pthread_create(&reader, 0, read, 0);
  pthread_create(&expirer, 0, expire, 0);
  pthread_join(reader, 0);
  pthread_join(expirer, 0);
  return sum < 0;
}
