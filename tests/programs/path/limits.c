/* Takes away what a recorder might need, then works on with two threads and fails: limits.c HOW */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int results[2];

static void* work(void* number) {
  int sum = 0;
  for (int i = 0; i < 200000; ++i) sum += i % 7 == (int)(size_t)number ? 2 : 1;
  results[(size_t)number] = sum;
  return 0;
}

static void limit(int what, rlim_t to) {
  struct rlimit both;
  getrlimit(what, &both);
  both.rlim_cur = to;
  if (setrlimit(what, &both) != 0) abort();
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  if (!strcmp(how, "descriptors")) closefrom(3);
  if (!strcmp(how, "no-files")) limit(RLIMIT_NOFILE, 3);
  if (!strcmp(how, "small-files")) limit(RLIMIT_FSIZE, 4096);
  if (!strcmp(how, "little-memory")) limit(RLIMIT_AS, 64 << 20);
  pthread_t threads[2];
  for (size_t i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], 0, work, (void*)i) != 0) return 9;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("%d %d\n", results[0], results[1]);
  return results[0] == 228572 ? 7 : 8;
}
