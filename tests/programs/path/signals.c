// Handlers that run while their thread is in a call: raised by the thread itself, sent by another one, by a timer.
// They branch, loop, call and are interrupted by each other.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int ticks, raised, nested;

static int digits(int number) {
  int sum = 0;
  for (; number > 0; number /= 10) sum += number % 10;
  return sum;
}

static void onUser(int number) {
  if (raised % 3 == 0) {
    nested += digits(raised);
    raise(SIGUSR2); // inside of the handler
  }
  raised++;
  (void)number;
}

static void onOther(int number) {
  switch (nested & 3) {
  case 0: nested += number; break;
  case 1: nested -= 1; break;
  default: nested ^= 5;
  }
}

static void onTimer(int number) {
  ticks += number == SIGALRM;
  if (ticks % 2) nested += digits(ticks);
}

static int compare(const void* a, const void* b) {
  if (*(const int*)a == 7) raise(SIGUSR1); // below a callback
  return *(const int*)a - *(const int*)b;
}

static void* worker(void* unused) {
  int numbers[64];
  for (int i = 0; i < 64; i++) numbers[i] = (i * 37) % 64;
  qsort(numbers, 64, sizeof numbers[0], compare);
  for (int i = 0; i < 100; i++) raise(i % 2 ? SIGUSR1 : SIGUSR2);
  return unused;
}

static sigjmp_buf back;
static void leave(int number) { siglongjmp(back, number); }

int main(void) {
  signal(SIGUSR1, onUser);
  signal(SIGUSR2, onOther);
  signal(SIGALRM, onTimer);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  // Blocked except while the thread waits, so that it is always in a call when the timer comes.
  sigset_t timer, none;
  sigemptyset(&none);
  sigemptyset(&timer);
  sigaddset(&timer, SIGALRM);
  sigprocmask(SIG_BLOCK, &timer, NULL);
  struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (ticks < 20) sigsuspend(&none);
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 300; i++) raise(SIGUSR1);
  signal(SIGSEGV, leave);
  int* volatile nowhere = NULL;
  for (volatile int i = 0; i < 10; i++)
    if (sigsetjmp(back, 1) == 0) *nowhere = 1;
  return 7;
}
