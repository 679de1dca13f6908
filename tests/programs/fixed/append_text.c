// Two threads append to a string, each where it ends.
// expect: assertion; lost update on text[1]; lines 13 14; dsp 12
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char* text;
static size_t length;

static void* append(void* unused) {
  for (int i = 0; i < 2; ++i) {
    const size_t at = strlen(text);
    text[at] = 'x';
    text[at + 1] = 0;
  }
  return unused;
}

// The fix; what stands above is as it was, so that a patch of its breakpoints applies.
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static void* alone(void* argument) {
  pthread_mutex_lock(&one);
  append(argument);
  pthread_mutex_unlock(&one);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  text = calloc(16, 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, alone, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  length = strlen(text);
  assert(length == 4);
  return 0;
}
