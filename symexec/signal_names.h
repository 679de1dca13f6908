#pragma once
#include <cstring>
#include <fmt/format.h>

namespace symbiosis {

// "SIGSEGV"
inline std::string nameOfSignal(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

} // namespace symbiosis
