// STAGES threads update two variables, each under a lock of its own; readers that come between the two updates see
// the second one missing. Every update is protected; the pair of them is not.
#include <assert.h>
#include <pthread.h>

#ifndef STAGES
#define STAGES 20
#endif

static pthread_mutex_t firstLock = PTHREAD_MUTEX_INITIALIZER, secondLock = PTHREAD_MUTEX_INITIALIZER;
static int order, shipment;

static void* write(void* unused) {
  pthread_mutex_lock(&firstLock);
  order = 1;
  pthread_mutex_unlock(&firstLock);
  pthread_mutex_lock(&secondLock);
  shipment = order + 1;
  pthread_mutex_unlock(&secondLock);
  return unused;
}

static void* read(void* unused) {
  pthread_mutex_lock(&firstLock);
  const int ordered = order;
  pthread_mutex_unlock(&firstLock);
  if (ordered == 0) return unused;
  pthread_mutex_lock(&secondLock);
  const int shipped = shipment;
  pthread_mutex_unlock(&secondLock);
  assert(shipped == ordered + 1);
  return unused;
}

int main(void) {
  pthread_t writers[STAGES], reader;
  for (int i = 0; i < STAGES; ++i) pthread_create(&writers[i], 0, write, 0);
  pthread_create(&reader, 0, read, 0);
  for (int i = 0; i < STAGES; ++i) pthread_join(writers[i], 0);
  pthread_join(reader, 0);
  return 0;
}
