#include "constraints/call_watch.h"
#include "constraints/z3_session.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

static constexpr double kLongestSeconds = 1e9; // "no limit", without overflowing the clock

CallWatch::CallWatch(const SolverLimits& limits)
    : limits_(limits),
      deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::min(limits.seconds, kLongestSeconds)))) {}

bool CallWatch::outOfMemory() const { return z3MemoryInUse() > limits_.memoryGb * 1e9; }

bool CallWatch::allows(size_t bytes) const { return double(bytes) + z3MemoryInUse() <= limits_.memoryGb * 1e9; }

double CallWatch::secondsLeft() const { return std::chrono::duration<double>(deadline_ - Clock::now()).count(); }

CallWatch CallWatch::within(double seconds) const {
  CallWatch shorter = *this;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(seconds, kLongestSeconds)));
  shorter.deadline_ = std::min(deadline_, end);
  return shorter;
}

void CallWatch::check() const {
  if (expired()) throw LimitReached{reason()};
}

std::string CallWatch::memoryReason() const {
  return fmt::format("the memory limit of {} GB was reached", limits_.memoryGb);
}

std::string CallWatch::reason() const {
  return outOfMemory() ? memoryReason() : fmt::format("the time limit of {} s was reached", limits_.seconds);
}

} // namespace symbiosis
