#include "constraints/call_watch.h"
#include "constraints/z3_session.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

static constexpr double kLongestSeconds = 1e9; // "no limit", without overflowing the clock

CallWatch::CallWatch(const SolverLimits& limits)
    : limits_(limits), memoryGb_(limits.memoryGb),
      deadline_(std::min(limits.deadline,
                         Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                            std::min(limits.seconds, kLongestSeconds))))),
      held_(std::make_shared<std::atomic<double>>(-1)) {}

bool CallWatch::outOfMemory() const {
  const double held = *held_;
  return (held < 0 ? z3MemoryInUse() : held) > memoryGb_ * 1e9;
}

double CallWatch::secondsLeft() const { return std::chrono::duration<double>(deadline_ - Clock::now()).count(); }

CallWatch CallWatch::within(double seconds) const {
  CallWatch shorter = *this;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(seconds, kLongestSeconds)));
  shorter.deadline_ = std::min(deadline_, end);
  return shorter;
}

CallWatch CallWatch::stoppable() const {
  CallWatch copy = *this;
  copy.stopped_ = std::make_shared<std::atomic<bool>>(false);
  return copy;
}

CallWatch CallWatch::withShareOfMemory(double share) const {
  CallWatch copy = *this;
  copy.memoryGb_ = memoryGb_ * share;
  copy.held_ = std::make_shared<std::atomic<double>>(-1);
  return copy;
}

void CallWatch::check() const {
  if (expired()) throw LimitReached{reason()};
}

std::string CallWatch::reason() const {
  if (isStopped()) return "another engine has answered";
  return outOfMemory() ? fmt::format("the memory limit of {} GB was reached", limits_.memoryGb)
                       : fmt::format("the time limit of {} s was reached", limits_.seconds);
}

} // namespace symbiosis
