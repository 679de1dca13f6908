#include "cli/labelled_lines.h"
#include "viz/text.h"
#include <fmt/format.h>

namespace symbiosis {

void say(const char* label, const std::string& text) {
  constexpr size_t kWidth = 80;
  bool first = true;
  for (const std::string& line : wrapped(text, kWidth - kLabelColumns, "")) {
    fmt::print("{}{}\n", padded(first ? label : "", kLabelColumns), line);
    first = false;
  }
}

std::string countedWords(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

} // namespace symbiosis
