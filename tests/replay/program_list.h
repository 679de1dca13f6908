#pragma once
// The programs of tests/programs, by folder.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace symbiosis::testing {

inline std::vector<std::string> programsIn(const std::string& folder) {
  std::vector<std::string> programs;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SYMBIOSIS_SOURCE "/tests/programs/") + folder))
    programs.push_back(folder + "/" + entry.path().filename().string());
  std::sort(programs.begin(), programs.end());
  return programs;
}

} // namespace symbiosis::testing
