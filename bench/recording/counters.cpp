// Atomic counters: a histogram that four threads fill, with a spin lock now and then.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kBins = 256;
std::atomic<unsigned long> bins[kBins];
std::atomic_flag busy = ATOMIC_FLAG_INIT;
unsigned long rounds;

void fill(unsigned seed, long times) {
  unsigned state = seed;
  for (long i = 0; i < times; ++i) {
    state = state * 1664525u + 1013904223u;
    bins[state >> 24].fetch_add(1, std::memory_order_relaxed);
    if (i % 1024 == 0) {
      while (busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
      ++rounds;
      busy.clear(std::memory_order_release);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  const long times = argc > 1 ? std::atol(argv[1]) : 10000000;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(fill, i + 1, times);
  for (std::thread& thread : threads) thread.join();
  unsigned long total = 0;
  for (std::atomic<unsigned long>& bin : bins) total += bin;
  std::printf("%lu %lu\n", total, rounds);
}
