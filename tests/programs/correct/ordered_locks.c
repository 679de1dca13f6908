// Transfers between accounts take both locks in the order of their addresses.
// expect: pass
#include <assert.h>
#include <pthread.h>

struct Account {
  pthread_mutex_t mutex;
  int balance;
};
static struct Account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 10}};

static void transfer(struct Account* from, struct Account* to) {
  struct Account* first = from < to ? from : to;
  struct Account* second = from < to ? to : from;
  pthread_mutex_lock(&first->mutex);
  pthread_mutex_lock(&second->mutex);
  --from->balance;
  ++to->balance;
  pthread_mutex_unlock(&second->mutex);
  pthread_mutex_unlock(&first->mutex);
}

static void* worker(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 2; ++i) transfer(&accounts[me], &accounts[1 - me]);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(accounts[0].balance == 10 && accounts[1].balance == 10);
  return 0;
}
