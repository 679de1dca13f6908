// The report is asked for by a signal before the last of it is there.
// expect: assertion; order violation on entries; lines 16 29; dsp 4
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;
static int entries;

static void* reporter(void* nothing) {
  int signal;
  if (sigwait(&set, &signal) != 0) return nothing;
  // All that was entered before the signal came.
  const int wanted = 2;
  assert(entries == wanted);
  return nothing;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, reporter, NULL);
  entries = 1;
  pthread_kill(thread, SIGHUP);
  // Too late.
  entries = 2;
  pthread_join(thread, NULL);
  return 0;
}
