// Two clerks write their number into one buffer and let strtoul read it back.
// expect: assertion; other path; decision 17
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char slip[16];
static unsigned long booked[2];

static void put(const char* text) { memcpy(slip, text, 4); }

static void* clerk(void* argument) {
  const long me = (long)argument;
  put(me ? "222" : "111");
  booked[me] = strtoul(slip, NULL, 10);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, clerk, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(booked[0] == 111 && booked[1] == 222);
  return 0;
}
