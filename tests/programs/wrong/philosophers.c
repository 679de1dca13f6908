// Three philosophers, each of whom takes the left fork first.
// expect: deadlock; deadlock on forks[0], forks[1] and forks[2]; lines 14 16; dsp 6
// class: deadlock
// says: forks[0]|forks[1]|forks[2]
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static int meals[3];

static void* eat(void* argument) {
  long me = (long)argument;
  pthread_mutex_lock(&forks[me]);
  usleep(50000);
  pthread_mutex_lock(&forks[(me + 1) % 3]);
  ++meals[me];
  pthread_mutex_unlock(&forks[(me + 1) % 3]);
  pthread_mutex_unlock(&forks[me]);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, eat, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return meals[0] + meals[1] + meals[2] == 3 ? 0 : 1;
}
