// Two threads use strtok, which keeps the place where it goes on in one variable for all of them.
// expect: assertion; other path; decision 15
// called: atomicity violation on strtok_position
#include <assert.h>
#include <pthread.h>
#include <string.h>

static int words[2];

static void *count(void *number) {
  const int mine = *(int *)number;
  char line[] = "one two";
  // the first call tells strtok the line, the second one asks for what follows
  int seen = 0;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) seen++;
  words[mine] = seen;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(words[0] == 2 && words[1] == 2);
  return 0;
}
