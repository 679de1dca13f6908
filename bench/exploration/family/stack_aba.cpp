// A lock-free stack of free cells, as an array with a head and a count: whoever takes a cell reads its successor
// before the head is exchanged, so that a cell that went and came back in between (ABA) leaves the head pointing
// at one that somebody has. Three threads take a cell, write into it, read it and put it back, twice each; it
// takes five preemptions at the right moments for two of them to hold the same cell.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr int kCells = 3;

struct Cell {
  std::atomic<int> next{-1};
  int owner = 0;
};

Cell cells[kCells];
std::atomic<int> head{0}, count{kCells};

int take() {
  while (count.load() > 1) {
    const int first = head.load();
    const int second = cells[first].next.exchange(-1);
    if (second >= 0) {
      int expected = first;
      if (head.compare_exchange_strong(expected, second)) {
        count.fetch_sub(1);
        return first;
      }
      cells[first].next.exchange(second);
    }
  }
  return -1;
}

void give(int cell) {
  int first = head.load();
  do cells[cell].next.store(first);
  while (!head.compare_exchange_strong(first, cell));
  count.fetch_add(1);
}

void use(int who) {
  for (int i = 0; i < 2; ++i) {
    int cell = -1;
    while (cell < 0) {
      cell = take();
      if (cell < 0) std::this_thread::yield();
    }
    cells[cell].owner = who;
    assert(cells[cell].owner == who);
    give(cell);
  }
}

} // namespace

int main() {
  for (int i = 0; i + 1 < kCells; ++i) cells[i].next = i + 1;
  std::thread one(use, 1), two(use, 2), three(use, 3);
  one.join();
  two.join();
  three.join();
}
