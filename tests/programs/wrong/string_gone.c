// The name is taken away while its length is wanted: the crash is inside libc.
// expect: signal 11; order violation on name; lines 10 18; dsp 4
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char* volatile name = "nobody";

static void* forgets(void* unused) {
  name = NULL;
  name = "somebody";
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, forgets, NULL);
  size_t length = strlen(name);
  pthread_join(thread, NULL);
  printf("%zu\n", length);
  return 0;
}
