// Matrices on the heap, multiplied by four threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4 };
static int size;
static double *a, *b, *c;

static void* multiply(void* argument) {
  for (int i = (int)(long)argument; i < size; i += kThreads)
    for (int k = 0; k < size; ++k) {
      const double x = a[i * size + k];
      for (int j = 0; j < size; ++j) c[i * size + j] += x * b[k * size + j];
    }
  return 0;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 1000;
  const size_t count = (size_t)size * (size_t)size;
  a = malloc(count * sizeof *a), b = malloc(count * sizeof *b), c = calloc(count, sizeof *c);
  for (size_t i = 0; i < count; ++i) a[i] = (double)(i % 7), b[i] = (double)(i % 5);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, multiply, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  printf("%.0f\n", c[count / 2]);
  return 0;
}
