// Two threads let arrays grow and shrink, again and again, each under a lock; nobody keeps a pointer.
// expect: pass
#include <pthread.h>
#include <stdlib.h>

static int* numbers;
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* grow(void* unused) {
  for (int i = 0; i < 12; ++i) {
    pthread_mutex_lock(&lock);
    const size_t wanted = i % 4 == 3 ? 2 : count + 5;
    int* moved = realloc(numbers, wanted * sizeof *moved);
    if (!moved) abort();
    for (size_t at = count; at < wanted; ++at) moved[at] = (int)at;
    for (size_t at = 0; at < wanted; ++at)
      if (moved[at] != (int)at) abort();
    numbers = moved;
    count = wanted;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, grow, NULL);
  pthread_create(&two, NULL, grow, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  free(numbers);
  return 0;
}
