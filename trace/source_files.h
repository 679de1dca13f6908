#pragma once
// The source text that a recording keeps, so that a report can cite lines after the tree has changed.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

class SourceFiles {
public:
  // `name` is the file as the debug information spells it.
  void add(const std::string& name, std::string_view text);
  // The line without its newline, counted from 1; nothing if the file is unknown or shorter.
  std::optional<std::string_view> line(const std::string& name, uint32_t number) const;
  bool has(const std::string& name) const { return files_.count(name) != 0; }
  const std::map<std::string, std::vector<std::string>>& files() const { return files_; }

private:
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace symbiosis
