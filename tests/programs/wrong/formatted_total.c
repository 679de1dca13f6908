// A lost update that is seen in a text: what snprintf makes of a number is outside of the trace, so the number is
// taken as given.
// expect: assertion; other path; decision 13
// called: lost update on total
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int total;

static void* work(void* unused) {
  total = total + 1;
  return unused;
}

int main(void) {
  pthread_t one, two;
  char line[32];
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  snprintf(line, sizeof line, "total %d", total);
  assert(strcmp(line, "total 2") == 0);
}
