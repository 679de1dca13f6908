// A name is freed while another thread measures it.
// expect: signal 11; order violation on name; lines 10 16 20; dsp 6
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t length;

static void* measure(void* name) {
  length = strlen(name);
  return NULL;
}

int main(void) {
  pthread_t thread;
  char* name = malloc(16);
  for (int i = 0; i < 16; ++i) name[i] = 0;
  name[0] = 'a';
  pthread_create(&thread, NULL, measure, name);
  free(name);
  pthread_join(thread, NULL);
  return 0;
}
