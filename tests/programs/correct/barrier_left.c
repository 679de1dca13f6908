// One of those who met at a barrier destroys and frees it at once: pthread_barrier_destroy waits for the others to have left.
// expect: pass
#include <pthread.h>
#include <stdlib.h>

static void* meet(void* barrier) {
  if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_barrier_destroy(barrier);
    free(barrier);
  }
  return NULL;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_t* barrier = malloc(sizeof *barrier);
    pthread_t thread;
    pthread_barrier_init(barrier, NULL, 2);
    pthread_create(&thread, NULL, meet, barrier);
    meet(barrier);
    pthread_join(thread, NULL);
  }
  return 0;
}
