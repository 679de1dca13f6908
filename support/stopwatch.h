#pragma once
// How long something takes.
#include <chrono>

namespace symbiosis {

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The work's result; the seconds that it took are added to `seconds`.
template <typename Work> auto timed(double& seconds, Work&& work) {
  Stopwatch watch;
  auto result = work();
  seconds += watch.seconds();
  return result;
}

} // namespace symbiosis
