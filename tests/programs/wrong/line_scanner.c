// A scanner: threads take texts by an index under a lock, count their lines, and add to a total without the lock.
// expect: assertion; lost update on total; lines 35 46; dsp 8
// not at: path addresses
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#define FILES 6
#define SIZE 20000
#define THREADS 3
static char* files[FILES];
static int next;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int table[THREADS][1024];
static long scan(const char* text, int* seen) {
  long lines = 0;
  unsigned hash = 0;
  for (int i = 0; i < SIZE; ++i) {
    if (text[i] == '\n') {
      ++lines;
      ++seen[hash % 1024];
      hash = 0;
    }
    hash = hash * 31 + (unsigned char)text[i];
  }
  return lines;
}
static void* worker(void* number) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    int mine = next < FILES ? next++ : -1;
    pthread_mutex_unlock(&mutex);
    if (mine < 0) return NULL;
    long lines = scan(files[mine], table[(long)number]);
    total += lines;
  }
}
int main(void) {
  pthread_t threads[THREADS];
  for (int f = 0; f < FILES; ++f) {
    files[f] = malloc(SIZE);
    for (int i = 0; i < SIZE; ++i) files[f][i] = i % 50 == 49 ? '\n' : (char)('a' + i * (f + 3) % 26);
  }
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  assert(total == (long)FILES * (SIZE / 50));
  return 0;
}
