// A wait with a time-out takes the time-out for success.
// expect: assertion; other path; decision 22
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
  std::thread producer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait_for(lock, std::chrono::seconds(10));
    assert(ready);
  }
  producer.join();
}
