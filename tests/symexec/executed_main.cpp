// Runs one of tests/programs/executed and shows its result to a second thread: that makes it shared, so that it is
// an event of the symbolic trace.
#include <cstdint>
#include <cstdio>
#include <pthread.h>

uint32_t compute();

static unsigned result;

static void* show(void* unused) {
  std::printf("result %u\n", result);
  return unused;
}

int main() {
  result = compute();
  pthread_t thread;
  pthread_create(&thread, nullptr, show, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}
