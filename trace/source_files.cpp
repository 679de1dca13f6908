#include "trace/source_files.h"

namespace symbiosis {

void SourceFiles::add(const std::string& name, std::string_view text) {
  std::vector<std::string>& lines = files_[name];
  lines.clear();
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

std::optional<std::string_view> SourceFiles::line(const std::string& name, uint32_t number) const {
  auto at = files_.find(name);
  if (at == files_.end() || number == 0 || number > at->second.size()) return std::nullopt;
  return at->second[number - 1];
}

} // namespace symbiosis
