// A connection is closed and freed while another thread, which has its pointer, still reads it. Nothing crashes.
// expect: signal 11; order violation on d; lines 16 24 30; dsp 6
#include <pthread.h>
#include <stdlib.h>

struct connection {
  long id, peer;
  char name[40];
};
static struct connection* current;
static long seen;

static void* closer(void* unused) {
  struct connection* d = current;
  current = NULL;
  free(d);
  return unused;
}

static void* user(void* unused) {
  struct connection* d = current;
  if (!d) return unused;
  for (int i = 0; i < 2; ++i) seen += i;
  seen += d->id;
  return unused;
}

int main(void) {
  pthread_t one, two;
  current = calloc(1, sizeof *current);
  current->id = 7;
  pthread_create(&one, NULL, closer, NULL);
  pthread_create(&two, NULL, user, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
