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

void CallWatch::check() const {
  if (expired()) throw LimitReached{reason()};
}

std::string CallWatch::reason() const {
  if (outOfMemory()) return fmt::format("the memory limit of {} GB was reached", limits_.memoryGb);
  return fmt::format("the time limit of {} s was reached", limits_.seconds);
}

} // namespace symbiosis
