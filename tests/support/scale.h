#pragma once
// How long property tests run: their iteration counts are multiplied by SYMBIOSIS_TEST_SCALE (scripts/nightly:
// 10).
#include <cstddef>
#include <cstdlib>

namespace symbiosis::testing {

// At least 1; 1 if the variable is unset or not a number.
inline size_t testScale() {
  const char* text = std::getenv("SYMBIOSIS_TEST_SCALE");
  const long scale = text ? std::strtol(text, nullptr, 10) : 1;
  return scale < 1 ? 1 : size_t(scale);
}

} // namespace symbiosis::testing
