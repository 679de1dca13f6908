// A producer and two consumers around a shared queue; after the running example of the Symbiosis paper (Fig. 2).
//
// What is wrong: get() looks at `filled` under the lock, lets the lock go, and takes it again to remove the
// element. In between, the other consumer can take the last element; the assertion then finds an empty queue.
// Checking and taking must be one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kElements = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[kElements];
static int filled; // how many of `elements` are in the queue

static void* producer(void* unused) {
  for (int i = 0; i < kElements; ++i) {
    pthread_mutex_lock(&lock);
    elements[filled] = i + 1;
    filled = filled + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static int get(void) {
  pthread_mutex_lock(&lock);
  int available = filled > 0;
  pthread_mutex_unlock(&lock);
  if (!available) return 0;
  usleep(50); // something slow, say a log message

  pthread_mutex_lock(&lock);
  assert(filled > 0);
  filled = filled - 1;
  int element = elements[filled];
  pthread_mutex_unlock(&lock);
  return element;
}

static void* consumer(void* sum) {
  for (int i = 0; i < kElements; ++i) *(int*)sum += get();
  return sum;
}

int main(void) {
  int sums[2] = {0, 0};
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, producer, NULL);
  pthread_create(&threads[1], NULL, consumer, &sums[0]);
  usleep(165); // the second consumer often finds an empty queue, and then all is well
  pthread_create(&threads[2], NULL, consumer, &sums[1]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("consumed %d\n", sums[0] + sums[1]);
  return 0;
}
