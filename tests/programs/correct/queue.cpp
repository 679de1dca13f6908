// A bounded queue with two condition variables.
// expect: pass
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable notFull, notEmpty;
static std::deque<int> queue;

static void produce(int from) {
  for (int i = 0; i < 3; ++i) {
    std::unique_lock lock(mutex);
    notFull.wait(lock, [] { return queue.size() < 2; });
    queue.push_back(from + i);
    notEmpty.notify_one();
  }
}

int main() {
  std::thread one(produce, 0), two(produce, 10);
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    std::unique_lock lock(mutex);
    notEmpty.wait(lock, [] { return !queue.empty(); });
    sum += queue.front();
    queue.pop_front();
    notFull.notify_one();
  }
  one.join();
  two.join();
  assert(sum == 36);
}
