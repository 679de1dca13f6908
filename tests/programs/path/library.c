/* Half of a program: becomes a static library. */
#include "library.h"

static int collatz(unsigned x, int depth) {
  if (x == 1 || depth > 200) return depth;
  return x % 2 ? collatz(3 * x + 1, depth + 1) : collatz(x / 2, depth + 1);
}

static int even(int x) { return x / 2; }
static int odd(int x) { return x * 3 - 1; }

int apply(int from, int to, int (*each)(int)) {
  int (*const helpers[2])(int) = {even, odd};
  int sum = 0;
  for (int i = from; i < to; ++i) sum += each(helpers[i & 1](i)) + collatz((unsigned)i + 1, 0);
  return sum;
}
