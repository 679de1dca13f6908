#pragma once
// The limits of one call, kept by ourselves: everything that may run long asks the watch, and the watch can
// interrupt Z3 from outside.
#include "constraints/schedule_solver.h"
#include <chrono>
#include <string>

namespace symbiosis {

// Thrown inside this room when a limit is reached; never leaves it.
struct LimitReached {
  std::string reason;
};

class CallWatch {
public:
  explicit CallWatch(const SolverLimits& limits);

  bool expired() const { return outOfTime() || outOfMemory(); }
  // Memory that we hold ourselves, besides Z3's.
  bool allows(size_t bytes) const;
  double secondsLeft() const;
  // The same memory, at most `seconds` from now.
  CallWatch within(double seconds) const;
  // Throws LimitReached if expired.
  void check() const;
  std::string memoryReason() const;
  // Which limit stopped the call, in the user's words.
  std::string reason() const;

private:
  using Clock = std::chrono::steady_clock;
  bool outOfTime() const { return Clock::now() >= deadline_; }
  bool outOfMemory() const;

  SolverLimits limits_;
  Clock::time_point deadline_;
};

} // namespace symbiosis
