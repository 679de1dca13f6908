// Quicksort of an array on the heap; the first levels of the recursion run in threads of their own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct Range {
  int *from, *to; // half open
  int depth;
};

static void* sort(void* argument) {
  struct Range range = *(struct Range*)argument;
  while (range.to - range.from > 16) {
    int pivot = range.from[(range.to - range.from) / 2], *left = range.from, *right = range.to - 1;
    while (left <= right) {
      while (*left < pivot) ++left;
      while (*right > pivot) --right;
      if (left <= right) {
        int other = *left;
        *left++ = *right;
        *right-- = other;
      }
    }
    struct Range lower = {range.from, right + 1, range.depth + 1};
    pthread_t thread;
    const int apart = range.depth < 2;
    if (apart)
      pthread_create(&thread, 0, sort, &lower);
    else
      sort(&lower);
    struct Range upper = {left, range.to, range.depth + 1};
    if (apart) {
      sort(&upper);
      pthread_join(thread, 0);
      return 0;
    }
    range = upper;
  }
  for (int* i = range.from; i < range.to; ++i)
    for (int* j = i; j > range.from && j[-1] > *j; --j) {
      int other = *j;
      *j = j[-1];
      j[-1] = other;
    }
  return 0;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 6000000;
  int* values = malloc((size_t)count * sizeof *values);
  unsigned state = 1;
  for (long i = 0; i < count; ++i) values[i] = (int)((state = state * 1664525u + 1013904223u) >> 8);
  struct Range all = {values, values + count, 0};
  sort(&all);
  for (long i = 1; i < count; ++i)
    if (values[i - 1] > values[i]) return 1;
  printf("%d\n", values[count / 2]);
  return 0;
}
