// Those who wait for room and those who wait for goods share a condition variable, and each change wakes one of them.
// expect: deadlock; lost wake-up on changed; lines 18 25 28; dsp 5
// class: lost wake-up
// says: goes back to wait
// says: Wake all who wait
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static int shelf; // 0: empty
static int sum;

static void bring(int goods) {
  std::unique_lock<std::mutex> lock(mutex);
  while (shelf != 0) changed.wait(lock);
  shelf = goods;
  changed.notify_one();
}

static void fetch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (shelf == 0) changed.wait(lock);
  sum += shelf;
  shelf = 0;
  changed.notify_one();
}

int main() {
  std::thread first([] { fetch(); }), second([] { fetch(); }), third(bring, 1), fourth(bring, 2);
  first.join();
  second.join();
  third.join();
  fourth.join();
  std::printf("%d\n", sum);
}
