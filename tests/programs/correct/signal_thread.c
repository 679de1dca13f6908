// One thread waits for signals with sigwait, sigwaitinfo and sigtimedwait; the others work and then send them.
// expect: pass
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static sigset_t set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int work, taken;

static void* attendant(void* nothing) {
  int signal = 0;
  assert(sigwait(&set, &signal) == 0 && signal == SIGUSR1);
  ++taken;
  assert(sigwaitinfo(&set, NULL) == SIGUSR2);
  ++taken;
  const struct timespec soon = {0, 1000};
  assert(sigtimedwait(&set, NULL, &soon) == -1);
  return nothing;
}

static void* worker(void* nothing) {
  pthread_mutex_lock(&mutex);
  ++work;
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main(void) {
  pthread_t waiting, threads[2];
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&waiting, NULL, attendant, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_kill(waiting, SIGUSR1);
  pthread_kill(waiting, SIGUSR2);
  pthread_join(waiting, NULL);
  assert(work == 2 && taken == 2);
  return 0;
}
