// Work goes through one pipe and results come back through another; what is read blocks until it is there.
// expect: pass
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int work[2], results[2];
static char large[100000]; // more than a pipe holds

static void* worker(void* unused) {
  unsigned char task;
  while (read(work[0], &task, 1) == 1 && task != 0) {
    task = (unsigned char)(task * 2);
    if (write(results[1], &task, 1) != 1) break;
  }
  return unused;
}

static void* filler(void* unused) {
  assert(write(results[1], large, sizeof large) == sizeof large);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  assert(pipe(work) == 0 && pipe(results) == 0);
  pthread_create(&threads[0], NULL, worker, NULL);
  for (unsigned char task = 1; task <= 3; ++task) assert(write(work[1], &task, 1) == 1);
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    struct pollfd ready = {results[0], POLLIN, 0};
    assert(poll(&ready, 1, -1) == 1);
    unsigned char result;
    assert(read(results[0], &result, 1) == 1);
    sum += result;
  }
  assert(sum == 12);
  pthread_create(&threads[1], NULL, filler, NULL);
  for (size_t got = 0; got < sizeof large;) got += (size_t)read(results[0], large, sizeof large);
  assert(write(work[1], "", 1) == 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
