// Two threads look for something to free, and both find the same block.
// expect: signal 6; other path; decision 10 or 11 or 12
#include <pthread.h>
#include <stdlib.h>

static char* buffer;

static void* cleaner(void* unused) {
  char* mine;
  mine = buffer;
  if (mine) {
    buffer = NULL;
    free(mine);
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  buffer = malloc(100);
  pthread_create(&one, NULL, cleaner, NULL);
  pthread_create(&two, NULL, cleaner, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
