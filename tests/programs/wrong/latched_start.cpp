// A latch lets two threads begin at once, an atomic wait tells them of the amount; nothing guards the sum.
// expect: assertion; lost update on sum; lines 16; dsp 6
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

static std::latch start(2), done(2);
static std::atomic<int> amount = 0;
static int sum;

static void work() {
  start.arrive_and_wait();
  amount.wait(0);
  for (int i = 0; i < 3; ++i) sum = sum + amount;
  done.count_down();
}

int main() {
  std::thread one(work), two(work);
  amount = 2;
  amount.notify_all();
  done.wait();
  assert(sum == 12);
  one.join();
  two.join();
}
