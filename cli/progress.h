#pragma once
// One line that says what is going on, on a terminal only, and only if it takes more than a moment.
#include <chrono>
#include <string>

namespace symbiosis {

class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);
  void clear();

private:
  bool onTerminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

// Escapes are welcome: standard output is a terminal and NO_COLOR is not set.
bool wantsColour();
// The locale can show more than ASCII.
bool wantsUtf8();

} // namespace symbiosis
