// Handlers that come at any moment, in the middle of instrumented code: by a timer, and from another thread. They
// branch, loop, call, and interrupt each other.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile int ticks, nudges, sum;
static atomic_int begun, stop;

static int digits(int number) {
  int total = 0;
  for (; number > 0; number /= 10) total += number % 10;
  return total;
}

static void onTimer(int number) {
  ticks += number == SIGALRM;
  if (ticks % 2) sum += digits(ticks);
}

static void onNudge(int number) {
  switch (nudges++ & 3) {
  case 0: sum += number; break;
  case 1: sum -= digits(nudges); break;
  case 2: free(malloc(16)); break;
  default: sum ^= 5;
  }
}

static int collatz(unsigned long number) {
  int steps = 0;
  for (; number != 1; steps++) number = number % 2 ? 3 * number + 1 : number / 2;
  return steps;
}

static void* work(void* unused) {
  int longest = 0;
  atomic_store(&begun, 1);
  for (unsigned long i = 1; !atomic_load(&stop); i = i % 5000 + 1) {
    const int steps = collatz(i);
    if (steps > longest) longest = steps;
    if (i % 50 == 0) sched_yield(); // the others have work to do as well
  }
  sum += longest;
  return unused;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = onNudge;
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGALRM, onTimer);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int longest = 0;
  while (!atomic_load(&begun)) sched_yield();
  struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (unsigned long i = 1; i < 3000; i++) {
    const int steps = collatz(i);
    if (steps > longest) longest = steps;
    if (i % 250 != 0) continue;
    const int before = nudges;
    pthread_kill(thread, SIGUSR1);
    while (nudges == before) sched_yield();
  }
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
  sum += longest;
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  return 7;
}
