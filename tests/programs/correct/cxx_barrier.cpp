// C++20's barrier, with a completion function.
// expect: pass
// flags: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

static int rounds, seen[2];
static auto completed = []() noexcept { ++rounds; };
static std::barrier meeting(2, completed);

static void work(int number) {
  for (int round = 1; round <= 2; ++round) {
    seen[number] = round;
    meeting.arrive_and_wait();
    assert(rounds >= round && seen[1 - number] >= round);
  }
}

int main() {
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  assert(rounds == 2);
}
