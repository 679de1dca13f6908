// A name and its length are changed and read without a lock; strcpy copies it in and out.
// expect: assertion; multi-variable inconsistency on name[0] and length; lines 13 23; dsp 5
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char name[16] = "anna";
static size_t length = 4;

static void* rename_it(void* to) {
  strcpy(name, to);
  length = strlen(name);
  return NULL;
}

int main(void) {
  pthread_t thread;
  char* next = strdup("katharina");
  pthread_create(&thread, NULL, rename_it, next);
  char copy[16];
  strcpy(copy, name);
  const size_t copied = length;
  pthread_join(thread, NULL);
  free(next);
  assert(strlen(copy) == copied);
  return 0;
}
