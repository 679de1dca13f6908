#pragma once
// The limits of one call, kept by ourselves: everything that may run long asks the watch, and the watch can
// interrupt Z3 from outside.
#include "constraints/schedule_solver.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace symbiosis {

// Thrown inside this room when a limit is reached; never leaves it.
struct LimitReached {
  std::string reason;
};

class CallWatch {
public:
  explicit CallWatch(const SolverLimits& limits);

  bool expired() const { return isStopped() || outOfTime() || outOfMemory(); }
  // Who says how much he holds is measured by that; others by what Z3 holds.
  void hold(size_t bytes) const { *held_ = double(bytes); }
  double secondsLeft() const;
  // The same memory, at most `seconds` from now.
  CallWatch within(double seconds) const;
  // The same limits for a race of engines: expires for all who have a copy when one of them calls stop().
  CallWatch stoppable() const;
  // The same, for an engine that may use this part of the memory; what others hold does not count.
  CallWatch withShareOfMemory(double share) const;
  void stop() const { *stopped_ = true; }
  bool isStopped() const { return stopped_ && *stopped_; }
  // Throws LimitReached if expired.
  void check() const;
  // Which limit stopped the call, in the user's words.
  std::string reason() const;

private:
  using Clock = std::chrono::steady_clock;
  bool outOfTime() const { return Clock::now() >= deadline_; }
  bool outOfMemory() const;

  SolverLimits limits_;
  double memoryGb_ = 0; // of the limit, this is for the caller
  Clock::time_point deadline_;
  std::shared_ptr<std::atomic<double>> held_;  // bytes; negative: ask Z3
  std::shared_ptr<std::atomic<bool>> stopped_; // empty: cannot be stopped
};

} // namespace symbiosis
