/* Loops, switches, recursion, indirect calls, callbacks from qsort, varargs, threads, longjmp. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;
static jmp_buf back;

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int sparse(int x) {
  switch (x) {
  case 1: return 10;
  case 5: return 50;
  case 700: return 7;
  case -3: return 3;
  default: return x > 10 ? 1 : 2;
  }
}
static int dense(int x) {
  switch (x) {
  case 0: return 3;
  case 1: return 1;
  case 2: return 4;
  case 3: return 1;
  case 4: return 5;
  case 5: return 9;
  case 6: return 2;
  case 7: return 6;
  case 8:
  case 9: return 5;
  }
  return 0;
}
static int ascending(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return x < y ? -1 : x > y;
}
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a > b ? a - b : b - a; }
static int (*volatile table[2])(int, int) = {add, sub};

static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  va_end(list);
  return total;
}
static void jump(int n) {
  if (n == 0) longjmp(back, 5);
  jump(n - 1);
}
static void* work(void* argument) {
  int seed = *(int*)argument, values[50];
  for (int i = 0; i < 50; i++) values[i] = (seed * 31 + i * 17) % 101;
  qsort(values, 50, sizeof *values, ascending);
  int total = 0;
  for (int i = 0; i < 50; i++) total += sparse(values[i] % 9) + dense(values[i] % 12) + table[i & 1](i, values[i]);
  total += sum(4, seed, 1, 2, 3) + fib(seed % 7 + 3);
  sink += total;
  return NULL;
}
int main(void) {
  pthread_t threads[4];
  int seeds[4] = {3, 14, 15, 92};
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &seeds[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  int code = setjmp(back);
  if (code == 0) jump(6);
  printf("%d\n", code);
  return 7;
}
