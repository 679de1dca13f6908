// One thread looks whether the session is open and then uses it; the other closes it in between.
// expect: signal 11; order violation on current; lines 14 21 23; dsp 4
#include <pthread.h>
#include <stdlib.h>

struct session {
  long id;
  long requests;
};

static struct session* volatile current;

static void* server(void* unused) {
  if (current) current->requests = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  struct session* mine = calloc(1, sizeof *mine);
  current = mine;
  pthread_create(&thread, NULL, server, NULL);
  current = NULL;
  pthread_join(thread, NULL);
  free(mine);
  return 0;
}
