// The highest reading: a sensor compares outside of the lock, and then replaces a higher one.
// expect: assertion; lost update on this->peak; lines 20 31; dsp 6
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Station {
  std::mutex guard;
  double sum = 0;
  double peak = -100;
  int samples = 0;

  void report(double celsius) {
    {
      std::lock_guard lock(guard);
      sum += celsius;
      ++samples;
    }
    if (celsius > peak) peak = celsius;
  }
};

int main() {
  Station station;
  const double readings[] = {18.5, 21.25, 19.75};
  std::vector<std::thread> sensors;
  for (double value : readings) sensors.emplace_back([&station, value] { station.report(value); });
  for (std::thread& sensor : sensors) sensor.join();
  assert(station.samples == 3);
  assert(station.peak == 21.25);
}
