// A token is copied out of a session that has been evicted.
// expect: signal 11; order violation on old; lines 18 28; dsp 6
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct session {
  int id;
  char token[48];
};
static struct session* cached;
static char copy[48];

static void* evict(void* unused) {
  struct session* old = cached;
  if (!old) return unused;
  cached = NULL;
  free(old);
  return unused;
}

int main(void) {
  pthread_t thread;
  cached = calloc(1, sizeof *cached);
  pthread_create(&thread, NULL, evict, NULL);
  struct session* mine = cached;
  if (mine) {
    memcpy(copy, mine->token, sizeof copy);
  }
  pthread_join(thread, NULL);
  return 0;
}
