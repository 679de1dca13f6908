#include "support/result.h"
#include <gtest/gtest.h>
#include <memory>

namespace symbiosis {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return badInput("odd");
  return n / 2;
}

Result<void> check(bool good) {
  if (!good) return gaveUp("not good");
  return {};
}

TEST(Result, holdsAValue) {
  Result<int> result = half(6);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(*result, 3);
  *result = 4;
  EXPECT_EQ(result.value(), 4);
}

TEST(Result, holdsAnError) {
  Result<int> result = half(7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::badInput);
  EXPECT_EQ(result.error().message, "odd");
}

TEST(Result, givesItsValueAway) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  std::unique_ptr<int> owner = *std::move(result);
  EXPECT_EQ(*owner, 5);
}

TEST(Result, reachesMembers) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
  const Result<std::string>& same = result;
  EXPECT_EQ(same->size(), 3u);
}

TEST(Result, ofNothing) {
  EXPECT_TRUE(check(true));
  Result<void> bad = check(false);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, ErrorKind::gaveUp);
  EXPECT_EQ(bad.error().message, "not good");
}

TEST(Result, errorsKnowTheirKind) {
  EXPECT_EQ(nothingFound("").kind, ErrorKind::nothingFound);
  EXPECT_EQ(internalError("").kind, ErrorKind::internal);
}

TEST(ResultDeathTest, theWrongSideIsOurBug) {
  EXPECT_DEATH((void)*half(7), "ok\\(\\)");
  EXPECT_DEATH((void)half(6).error(), "ok\\(\\)");
  EXPECT_DEATH((void)check(true).error(), "ok_");
}

} // namespace
} // namespace symbiosis
