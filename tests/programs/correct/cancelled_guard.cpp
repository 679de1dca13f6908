// A thread is cancelled while it waits: its destructors run, and release the mutex.
// expect: pass
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <pthread.h>

static std::mutex mutex;
static std::condition_variable never;
static int undone;

struct Undoes {
  ~Undoes() { ++undone; }
};

static void* waits(void* unused) {
  std::unique_lock lock(mutex);
  Undoes undoes;
  for (;;) never.wait(lock);
  return unused;
}

int main() {
  pthread_t thread;
  void* result;
  pthread_create(&thread, nullptr, waits, nullptr);
  pthread_cancel(thread);
  {
    std::lock_guard lock(mutex);
    assert(undone == 0 || undone == 1);
  }
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && undone == 1);
}
