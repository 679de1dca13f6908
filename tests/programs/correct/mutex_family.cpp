// C++'s mutexes: recursive, timed, shared, and several locked at once.
// expect: pass
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::recursive_timed_mutex recursiveTimed;
static std::shared_mutex shared;
static std::shared_timed_mutex sharedTimed;
static int counts[6], refused[6];

static void work() {
  {
    std::scoped_lock both(plain, recursive);
    std::lock_guard again(recursive);
    ++counts[0];
    ++counts[1];
  }
  if (timed.try_lock_for(20s)) {
    ++counts[2];
    timed.unlock();
  } else {
    std::lock_guard lock(plain);
    ++refused[2];
  }
  if (recursiveTimed.try_lock_until(std::chrono::steady_clock::now() + 20s)) {
    if (recursiveTimed.try_lock()) recursiveTimed.unlock();
    ++counts[3];
    recursiveTimed.unlock();
  } else {
    std::lock_guard lock(plain);
    ++refused[3];
  }
  {
    std::unique_lock lock(shared);
    ++counts[4];
  }
  {
    std::shared_lock lock(shared);
    assert(counts[4] >= 1);
  }
  if (sharedTimed.try_lock_for(20s)) {
    ++counts[5];
    sharedTimed.unlock();
  } else {
    std::lock_guard lock(plain);
    ++refused[5];
  }
  if (sharedTimed.try_lock_shared_for(20s)) {
    assert(counts[5] <= 2);
    sharedTimed.unlock_shared();
  }
}

int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
  for (int i = 0; i < 6; ++i) assert(counts[i] + refused[i] == 2);
}
