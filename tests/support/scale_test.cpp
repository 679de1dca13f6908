#include "tests/support/scale.h"
#include <gtest/gtest.h>

namespace symbiosis::testing {
namespace {

TEST(Scale, multipliesAndNeverVanishes) {
  const char* before = std::getenv("SYMBIOSIS_TEST_SCALE");
  const std::string saved = before ? before : "1";
  ::setenv("SYMBIOSIS_TEST_SCALE", "10", 1);
  EXPECT_EQ(testScale(), 10u);
  for (const char* nonsense : {"0", "-3", "many", ""}) {
    ::setenv("SYMBIOSIS_TEST_SCALE", nonsense, 1);
    EXPECT_EQ(testScale(), 1u) << nonsense;
  }
  ::unsetenv("SYMBIOSIS_TEST_SCALE");
  EXPECT_EQ(testScale(), 1u);
  ::setenv("SYMBIOSIS_TEST_SCALE", saved.c_str(), 1);
}

} // namespace
} // namespace symbiosis::testing
