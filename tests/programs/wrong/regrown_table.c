// A table is searched without the lock, then enlarged by realloc under it: a word that both miss is in it twice.
// expect: assertion; other path; decision 20
// called: check-then-act on len
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct word {
  char text[12];
  int count;
};

static struct word *table;
static int len, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(const char *text) {
  // what is there is not looked at again under the lock
  for (int i = 0; i < len; i++)
    if (strcmp(table[i].text, text) == 0) return;
  pthread_mutex_lock(&lock);
  if (len == room) {
    room = room ? room * 2 : 2;
    table = realloc(table, room * sizeof *table);
  }
  strncpy(table[len].text, text, sizeof table->text - 1);
  table[len].text[sizeof table->text - 1] = 0;
  table[len].count = 1;
  len++;
  pthread_mutex_unlock(&lock);
}

static void *reader(void *line) {
  char *rest, *copy = strdup(line);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) add(word);
  free(copy);
  return NULL;
}

int main(void) {
  pthread_t readers[2];
  pthread_create(&readers[0], NULL, reader, "the cat sat");
  pthread_create(&readers[1], NULL, reader, "the dog");
  for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
  for (int i = 0; i < len; i++)
    for (int j = 0; j < i; j++) assert(strcmp(table[i].text, table[j].text) != 0);
  return 0;
}
