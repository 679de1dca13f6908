// The producer tells by an eventfd that there is something before it has put it there.
// expect: assertion; order violation on parcel; lines 13 19; dsp 4
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int bell, parcel;
static void* producer(void* nothing) {
  const uint64_t one = 1;
  if (write(bell, &one, sizeof one) != sizeof one) return nothing;
  parcel = 42;
  return nothing;
}

static void* consumer(void* nothing) {
  uint64_t rung;
  if (read(bell, &rung, sizeof rung) == sizeof rung) assert(parcel == 42);
  return nothing;
}

int main(void) {
  pthread_t threads[2];
  bell = eventfd(0, 0);
  pthread_create(&threads[0], NULL, producer, NULL);
  pthread_create(&threads[1], NULL, consumer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
