#pragma once
// The options of `symbiosis cc` that no compiler has.
#include "support/result.h"
#include <string>
#include <vector>

namespace symbiosis {

struct OwnOptions {
  std::vector<std::string> exclusions; // --exclude PATTERN, as often as wanted
  bool everyAccess = false;            // --every-access
  bool help = false;                   // --help: ours first, then the compiler's
};
// Takes ours out of the arguments; `--help` stays there for the compiler.
Result<OwnOptions> takeOwnOptions(std::vector<std::string>& arguments);

// What `--help` says before the compiler does; `name`: cc or c++.
std::string ownHelp(const std::string& name);

} // namespace symbiosis
