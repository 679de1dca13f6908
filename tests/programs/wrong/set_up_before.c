// What main has set up before the other thread exists is no half of an atomic region: that thread comes too early.
// expect: assertion; order violation on budget; lines 10 19; dsp 4
// hint: Make T1's line 10 wait for T0's line 19
#include <assert.h>
#include <pthread.h>

static int budget;

static void* spender(void* amount) {
  budget = budget - *(int*)amount;
  return 0;
}

int main(void) {
  pthread_t thread;
  int amount = 40;
  budget = 100;
  pthread_create(&thread, 0, spender, &amount);
  assert(budget == 100);
  return pthread_join(thread, 0);
}
