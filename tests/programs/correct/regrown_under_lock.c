// A table that two threads enlarge by realloc and cut texts into, all under one lock.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int *lengths;
static int len, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *line) {
  char *rest, *copy = strdup(line);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    pthread_mutex_lock(&lock);
    if (len == room) {
      room += 2;
      lengths = realloc(lengths, room * sizeof *lengths);
    }
    lengths[len++] = (int)strlen(word);
    pthread_mutex_unlock(&lock);
  }
  char *cut = copy; // nothing is left of it but the first word
  assert(strlen(strsep(&cut, " ")) == 3);
  free(copy);
  return NULL;
}

int main(void) {
  pthread_t readers[2];
  int sum = 0;
  pthread_create(&readers[0], NULL, reader, "two or four");
  pthread_create(&readers[1], NULL, reader, "one more");
  for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
  for (int i = 0; i < len; i++) sum += lengths[i];
  assert(len == 5 && sum == 16);
  free(lengths);
  return 0;
}
