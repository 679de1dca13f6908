// A loop sleeps in poll until a pipe rings; who brings work rings only if the loop is asleep, and looks too early.
// expect: deadlock; other path; decision 19 or 25
// called: order violation on asleep | test before wait on jobs
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bell[2];
static int jobs;
static int asleep;

static void* bring(void* unused) {
  pthread_mutex_lock(&lock);
  jobs = jobs + 1;
  pthread_mutex_unlock(&lock);
  // The loop may be between its look at `jobs` and its sleep.
  const char mark = '!';
  if (asleep && write(bell[1], &mark, 1) != 1) _exit(2);
  return unused;
}

static int haveJobs(void) {
  pthread_mutex_lock(&lock);
  const int some = jobs;
  pthread_mutex_unlock(&lock);
  return some;
}
static void sleepUntilBell(void) {
  asleep = 1;
  struct pollfd watched = {bell[0], POLLIN, 0};
  char mark;
  if (poll(&watched, 1, -1) != 1 || read(bell[0], &mark, 1) != 1) _exit(2);
  asleep = 0;
}

int main(void) {
  if (pipe(bell) != 0) return 2;
  pthread_t bringer;
  pthread_create(&bringer, 0, bring, 0);
  while (!haveJobs()) sleepUntilBell();
  return pthread_join(bringer, 0);
}
