// A page of posix_memalign is given back while another thread still looks at it.
// expect: signal 11; order violation on page; lines 10 20; dsp 6
#include <pthread.h>
#include <stdlib.h>

static char* current;

static void* look(void* sum) {
  char* mine = current;
  if (mine) *(int*)sum += mine[64];
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* page = NULL;
  int sum = 0;
  if (posix_memalign(&page, 64, 256)) return 1;
  ((char*)(current = page))[64] = 1, pthread_create(&thread, NULL, look, &sum);
  free(page);
  pthread_join(thread, NULL);
  return 0;
}
