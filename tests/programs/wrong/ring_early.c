// A ring buffer whose producer announces an element before it has stored it.
// expect: exit 1; other path; decision 18 or 19
#include <pthread.h>
#include <stdatomic.h>

static atomic_int slots[4], produced;
static int wrong;

static void* producer(void* unused) {
  for (int i = 0; i < 4; ++i) {
    int at = produced++;
    slots[at] = at + 1;
  }
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < 4 && i < produced; ++i)
    if (slots[i] != i + 1) wrong = 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, consumer, NULL);
  pthread_create(&threads[1], NULL, producer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return wrong;
}
