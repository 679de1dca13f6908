// The slot is chosen by an index that another thread holds out of range for a moment.
// expect: signal 11; order violation on next; lines 9 17; dsp 4
#include <pthread.h>

static int slots[16];
static volatile long next = 3;

static void* mover(void* unused) {
  next = 1L << 40;
  next = 4;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, mover, NULL);
  slots[next] = 7;
  pthread_join(thread, NULL);
  return slots[3] + slots[4] == 7 ? 0 : 1;
}
