// Texts that libc reads, each behind a lock; numbers at the end of memory need no zero behind them.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char slip[16];
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void* clerk(void* argument) {
  const long me = (long)argument;
  pthread_mutex_lock(&desk);
  strcpy(slip, me ? "20" : "1");
  sum += strtol(slip, NULL, 10) + atoi(slip);
  fputs("", stdout);
  pthread_mutex_unlock(&desk);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page + 4092, "7 x;", 4);
  assert(strtol(page + 4092, NULL, 10) == 7);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, clerk, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(sum == 42);
  return 0;
}
