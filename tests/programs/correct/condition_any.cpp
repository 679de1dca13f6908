// A condition variable over a shared mutex, with and without a time limit, and stop requests of jthread.
// expect: pass
// flags: -std=c++20
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::shared_mutex mutex;
static std::condition_variable_any changed;
static int stage;

int main() {
  std::jthread stopped([](std::stop_token stop) {
    std::unique_lock lock(mutex);
    changed.wait(lock, stop, [] { return stage == 100; });
    assert(stop.stop_requested());
  });
  std::jthread waits([] {
    std::shared_lock lock(mutex);
    changed.wait(lock, [] { return stage == 1; });
  });
  std::jthread timed([] {
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, 5ms, [] { return stage == 1; })) assert(stage == 1);
  });
  {
    std::lock_guard lock(mutex);
    stage = 1;
  }
  changed.notify_all();
  waits.join();
  timed.join();
  stopped.request_stop();
}
