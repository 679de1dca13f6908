#pragma once
// What of a program a proof about all its schedules does not cover: functions outside of it whose effect or result
// may depend on the schedule in a way that no trace shows. Known by name are those that do not; every other is
// named.
#include "support/result.h"
#include <filesystem>
#include <string>
#include <vector>

namespace symbiosis {

struct BeyondModel {
  std::string what;  // "clock_gettime", "inline assembly"
  std::string place; // "net.c:40"; empty: unknown
};

// Each once, wherever in the program it is called. Error: not a program that was built with `symbiosis cc`.
Result<std::vector<BeyondModel>> beyondModel(const std::filesystem::path& program);

} // namespace symbiosis
