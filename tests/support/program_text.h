#pragma once
// What a program of tests/programs says about itself in a comment of one line: "// flags: -mcx16".
#include <optional>
#include <string>

namespace symbiosis::testing {

// What stands behind the mark, to the end of the line; empty: the program does not say it.
inline std::optional<std::string> saidIn(const std::string& program, const std::string& mark) {
  const std::string begin = "// " + mark + ": ";
  const size_t at = program.find(begin);
  if (at == std::string::npos) return std::nullopt;
  return program.substr(at + begin.size(), program.find('\n', at) - at - begin.size());
}

} // namespace symbiosis::testing
