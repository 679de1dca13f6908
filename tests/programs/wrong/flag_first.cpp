// A flag is raised before the data is written; both relaxed.
// expect: assertion; multi-variable inconsistency on ready and data; lines 10 12; dsp 5
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> ready = 0, data = 0;
int main() {
  std::thread writer([] {
    ready.store(1, std::memory_order_relaxed);
    data.store(42, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_acquire)) assert(data.load(std::memory_order_relaxed) == 42);
  writer.join();
}
