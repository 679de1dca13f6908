// An average whose fields are atomic; adding a sample to the sum is not, so that a sample is counted and lost.
// expect: assertion; lost update on samples.sum; lines 13 16; dsp 5
#include <atomic>
#include <cassert>
#include <cmath>
#include <thread>

struct Average {
  std::atomic<float> sum{0};
  std::atomic<int> count{0};

  void add(float sample) {
    sum = sum + sample;
    ++count;
  }
  double mean() const { return double(sum) / count; }
};

static Average samples;

int main() {
  std::thread first([] { samples.add(1.5f); }), second([] { samples.add(4.7f); });
  first.join();
  second.join();
  assert(std::fabs(samples.mean() - 3.1) < 0.001);
}
