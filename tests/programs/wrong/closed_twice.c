// Two threads close the same file: the second fclose() is given what the first has freed.
// expect: signal 11; other path; decision 10 or 11 or 12
#include <pthread.h>
#include <stdio.h>

static FILE* file;

static void* closer(void* unused) {
  FILE* mine;
  mine = file;
  if (mine) {
    file = NULL;
    fclose(mine);
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  file = fopen("/dev/null", "w");
  pthread_create(&one, NULL, closer, NULL);
  pthread_create(&two, NULL, closer, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
