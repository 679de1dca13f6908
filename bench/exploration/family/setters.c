// SETTERS threads set two variables, one after the other, and one checks them: it must not see the first set and
// the second not.
#include <assert.h>
#include <pthread.h>

#ifndef SETTERS
#define SETTERS 3
#endif

static int left, right;

static void* set(void* unused) {
  left = 1;
  right = -1;
  return unused;
}

static void* check(void* unused) {
  int l = left, r = right;
  assert((l == 0 && r == 0) || (l == 1 && r == -1) || (l == 0 && r == -1));
  return unused;
}

int main(void) {
  pthread_t setters[SETTERS], checker;
  for (int i = 0; i < SETTERS; ++i) pthread_create(&setters[i], 0, set, 0);
  pthread_create(&checker, 0, check, 0);
  for (int i = 0; i < SETTERS; ++i) pthread_join(setters[i], 0);
  pthread_join(checker, 0);
  return 0;
}
