// A range of prices that is moved up: who reads in between sees a range that ends before it begins.
// expect: assertion; multi-variable inconsistency on lowest and highest; lines 12 17 or 11 16; dsp 4
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<double> lowest{1.5}, highest{2.5};

static void raise() {
  const double by = highest - lowest;
  lowest = lowest + 2 * by;
  highest = highest + 2 * by;
}

static void look() {
  const double from = lowest;
  const double to = highest;
  assert(from <= to);
}

int main() {
  std::thread first(raise), second(look);
  first.join();
  second.join();
}
