// Workers look at a name that was copied from the arguments, and count without a lock.
// expect: assertion; lost update on count; lines 14 15; dsp 5
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char name[4096], label[16];
static char* spare;
static int count;

static void* work(void* unused) {
  if (strcmp(name, "nobody") != 0 && strncmp(label, name, 5) == 0) {
    const int before = count;
    count = before + 1;
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  strcpy(name, argc > 0 ? argv[0] : "unnamed");
  strncpy(label, argv[0], sizeof label - 1);
  spare = strdup(argv[0]);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(strcmp(spare, name) == 0);
  free(spare);
  assert(count == 2);
  return 0;
}
