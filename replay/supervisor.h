#pragma once
// Watches a controlled process from outside: as long as its step counter rises all is well. A program that no
// longer comes to a scheduling point, because it is blocked in a call that we do not control or runs in circles
// between two points, is reported instead of waited for.
#include "trace/control_protocol.h"
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace symbiosis {

// The fixed-size part of what the runtime shows; nothing before the process has got so far.
std::optional<format::ControlStatus> readStatus(const std::filesystem::path& file);

class Supervisor {
public:
  // `logs`: the directory in which the process makes one of its own, named after its id.
  Supervisor(std::filesystem::path logs, double stallSeconds);

  bool isStuck(int processId);
  // Why isStuck said so; empty otherwise.
  const std::string& verdict() const { return verdict_; }

private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path logs_;
  double stallSeconds_;
  uint64_t steps_ = ~uint64_t{0};
  Clock::time_point asleepSince_{};
  bool asleep_ = false;
  double cpuAtStep_ = 0;
  std::string verdict_;
};

} // namespace symbiosis
