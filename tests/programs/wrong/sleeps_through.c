// A barber sleeps when nobody is there; a customer rings the bell only if the barber sleeps.
// expect: deadlock; other path; decision 16
// The barber sees an empty shop and only then says that he sleeps: who comes in between does not ring.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define CUSTOMERS 2

static sem_t bell;
static atomic_int present;
static atomic_int asleep;

static void* barber(void* unused) {
  for (int served = 0; served < CUSTOMERS; served++) {
    if (atomic_load(&present) == 0) {
      atomic_store(&asleep, 1);
      sem_wait(&bell);
    }
    atomic_fetch_sub(&present, 1);
  }
  return unused;
}

static void come_in(void) {
  atomic_fetch_add(&present, 1);
  if (atomic_exchange(&asleep, 0)) sem_post(&bell);
}

static void* street(void* unused) {
  for (int i = 0; i < CUSTOMERS; i++) come_in();
  return unused;
}

int main(void) {
  pthread_t works, arrives;
  sem_init(&bell, 0, 0);
  pthread_create(&works, 0, barber, 0);
  pthread_create(&arrives, 0, street, 0);
  pthread_join(works, 0);
  pthread_join(arrives, 0);
  sem_destroy(&bell);
}
