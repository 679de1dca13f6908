// Ways from a shared load to an address: an index through a call and its result, through a private slot and a
// copy, as a length, as an argument of libc; and data that never becomes one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Box {
  int index;
  int data;
};
static int position, other, length, total;
static struct Box* box;
static int values[64];
static char from[64], to[64];

__attribute__((noinline)) static int next(int index) { return (index + 1) & 63; }
__attribute__((noinline)) static int at(int index) { return values[index]; }

static void* work(void* unused) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    volatile int slot = position;
    sum += at(next(slot));
    struct Box copy = *box;
    sum += values[copy.index] + copy.data;
    total += sum;
    if (total > 1000) total = 0;
  }
  memcpy(to, from, (size_t)length);
  puts(from + other);
  return unused;
}

int main(void) {
  box = calloc(1, sizeof *box);
  position = 3, other = 1, length = 8;
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  box->index = 5, box->data = 7, position = 4;
  pthread_join(thread, 0);
  return total == 12345;
}
