// A name is printed by puts() while another thread replaces it: libc looks at what is gone.
// expect: signal 11; order violation on old; lines 14 24; dsp 6
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* name;

static void* rename_it(void* fresh) {
  char* old = name;
  name = fresh;
  if (old)
    free(old);
  return NULL;
}

int main(void) {
  pthread_t thread;
  name = malloc(16);
  strcpy(name, "old");
  pthread_create(&thread, NULL, rename_it, "new");
  char* mine = name;
  puts(mine);
  pthread_join(thread, NULL);
  return 0;
}
