// Two deposits into an account that is kept as a double; one of them gets lost.
// expect: assertion; lost update on balance; lines 9 11 20; dsp 5
#include <assert.h>
#include <pthread.h>

static double balance = 100.0, fee = 0.25;

static void* deposit(void* amount) {
  const double before = balance;
  const double after = before + *(double*)amount - fee;
  balance = after;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  double amounts[2] = {0.5, 1.75};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, deposit, &amounts[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(balance > 101.7 && balance < 101.8);
  return 0;
}
