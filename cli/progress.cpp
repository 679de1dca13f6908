#include "cli/progress.h"
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace symbiosis {

using Clock = std::chrono::steady_clock;

Progress::Progress() : onTerminal_(::isatty(STDERR_FILENO)), start_(Clock::now()), last_(start_) {}

void Progress::show(const std::string& what) {
  if (!onTerminal_) return;
  const Clock::time_point now = Clock::now();
  // Nothing for what takes less than a second; then at most ten times a second.
  if (now - start_ < std::chrono::seconds(1) || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  fmt::print(stderr, "\r\033[K{}", what);
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

bool wantsColour() {
  const char* no = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) && !(no && *no);
}

bool wantsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(name); value && *value) {
      const std::string_view text = value;
      return text.find("UTF-8") != std::string_view::npos || text.find("utf8") != std::string_view::npos;
    }
  return !::isatty(STDOUT_FILENO); // files and pipes are UTF-8 unless somebody says otherwise
}

} // namespace symbiosis
