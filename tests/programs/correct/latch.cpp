// What C++20 builds on atomic waits: latch, semaphore, atomic wait and notify.
// expect: pass
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

static int before[2], handed;
static std::latch both(2);
static std::counting_semaphore<4> tokens(0);
static std::atomic<int> go = 0;

static void work(int number) {
  before[number] = number + 1;
  both.arrive_and_wait();
  assert(before[0] == 1 && before[1] == 2);
  if (number == 0) {
    handed = 5;
    tokens.release();
  } else {
    tokens.acquire();
    assert(handed == 5);
  }
}

int main() {
  std::thread one(work, 0), two(work, 1);
  std::thread waits([] {
    go.wait(0);
    assert(go == 3);
  });
  go = 3;
  go.notify_one();
  one.join();
  two.join();
  waits.join();
}
