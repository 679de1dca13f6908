#pragma once
// A program whose threads all wait for each other: nobody needs to wait for the time limit to see that it hangs.
#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace symbiosis {

// Looks at one process again and again. It stands still if for some seconds every one of its threads has been in
// the same wait for another thread (a futex without a time limit), and nothing outside can end that: the process
// has no children, and no handler for signals that come by themselves or from others.
class Standstill {
public:
  explicit Standstill(double seconds = 3) : seconds_(seconds) {}
  bool isReached(int process);

private:
  double seconds_;
  std::map<std::string, std::string> waits_; // by task; what the kernel says of it
  std::chrono::steady_clock::time_point looked_{}, since_{};
};

} // namespace symbiosis
