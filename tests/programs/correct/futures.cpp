// Promises, futures, async, packaged tasks, and call_once.
// expect: pass
#include <cassert>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int initialised;

static int square(int x) {
  std::call_once(once, [] { ++initialised; });
  return x * x;
}

int main() {
  std::promise<int> promise, broken;
  std::shared_future<int> shared = promise.get_future().share();
  std::future<int> fails = broken.get_future();
  std::thread setter([&] {
    promise.set_value(square(3));
    broken.set_exception(std::make_exception_ptr(std::runtime_error("no")));
  });
  std::future<int> async = std::async(std::launch::async, [shared] { return shared.get() + square(4); });
  std::packaged_task<int(int)> task(square);
  std::future<int> packaged = task.get_future();
  std::thread runs(std::move(task), 5);
  std::future<int> later = std::async(std::launch::deferred, square, 6);
  assert(async.get() == 25);
  assert(packaged.get() == 25);
  assert(shared.get() == 9 && later.get() == 36);
  bool caught = false;
  try {
    fails.get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  assert(caught && initialised == 1);
  setter.join();
  runs.join();
}
