// A client waits for an answer for a while and then withdraws its request, which is not answered any more then.
// expect: assertion; other path; decision 29
// When its time is up, the client gives up without a second look, though the answer came before it had the lock.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int answered;
static int withdrawn;

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 2000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
  }
  return time;
}

static void* client(void* unused) {
  struct timespec deadline = soon();
  pthread_mutex_lock(&lock);
  while (!answered) {
    if (pthread_cond_timedwait(&changed, &lock, &deadline) == ETIMEDOUT) {
      withdrawn = 1;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* server(void* unused) {
  pthread_mutex_lock(&lock);
  if (!withdrawn) {
    answered = 1;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t asks, answers;
  pthread_create(&asks, 0, client, 0);
  pthread_create(&answers, 0, server, 0);
  pthread_join(asks, 0);
  pthread_join(answers, 0);
  assert(answered != withdrawn);
}
