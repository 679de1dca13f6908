// getline() makes its buffer larger, in libc, while another thread still looks at the old one.
// expect: signal 11; order violation on mine; lines 12 25; dsp 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char* line;
static char first;

static void* look(void* unused) {
  char* mine = line;
  first = mine[0];
  return unused;
}

int main(void) {
  static char text[] = "a line that is longer than the buffer which it is to be read into, much longer than that\n";
  FILE* input = fmemopen(text, sizeof text - 1, "r");
  size_t size = 8;
  char* buffer = calloc(1, size);
  line = buffer;
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  // Its buffer is the argument of nobody but libc.
  if (getline(&buffer, &size, input) < 0) return 1;
  pthread_join(thread, NULL);
  free(buffer);
  fclose(input);
  return 0;
}
