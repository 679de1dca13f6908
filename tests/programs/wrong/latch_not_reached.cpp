// Two loaders count a latch down when they are done; one that finds the other at work gives up, and forgets the latch.
// expect: deadlock; other path; decision 15
// flags: -std=c++20
// not at: path
#include <atomic>
#include <cstdio>
#include <latch>
#include <thread>

static std::atomic<int> free_buffers{1};
static std::latch loaded(2);
static int pages[2];

static void load(int number) {
  if (free_buffers.load() == 0) return;
  free_buffers--;
  pages[number] = number + 1;
  free_buffers++;
  loaded.count_down();
}

int main() {
  std::thread first(load, 0), second(load, 1);
  loaded.wait();
  std::printf("%d pages\n", pages[0] + pages[1]);
  first.join();
  second.join();
}
