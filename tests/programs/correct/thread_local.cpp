// thread_local objects are made and destroyed by their own thread.
// expect: pass
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int alive, total;

struct Counter {
  int value = 0;
  Counter() {
    std::lock_guard lock(mutex);
    ++alive;
  }
  ~Counter() {
    std::lock_guard lock(mutex);
    --alive;
    total += value;
  }
};

static thread_local Counter counter;
static thread_local int plain = 40;

static void work() {
  for (int i = 0; i < 3; ++i) ++counter.value;
  ++plain;
  assert(counter.value == 3 && plain == 41);
}

int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
  assert(alive == 0 && total == 6 && plain == 40);
}
