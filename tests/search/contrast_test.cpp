#include "search/contrast.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

// Chances computed by hand: of the ways to hand out the passes, those at least as uneven.
TEST(Contrast, IsFishersExactTest) {
  EXPECT_NEAR(chanceOf({5, 5, 0, 5}), 1.0 / 252, 1e-9);       // one of C(10, 5)
  EXPECT_NEAR(chanceOf({3, 4, 1, 4}), (16.0 + 1) / 70, 1e-9); // C(4,3) C(4,1) + C(4,4) C(4,0), of C(8, 4)
  EXPECT_NEAR(chanceOf({2, 4, 2, 4}), (36.0 + 16 + 1) / 70, 1e-9);
}

TEST(Contrast, SaysNothingWhereNothingWasRun) {
  EXPECT_DOUBLE_EQ(chanceOf({}), 1);
  EXPECT_DOUBLE_EQ(chanceOf({0, 5, 0, 5}), 1);
  EXPECT_DOUBLE_EQ(chanceOf({5, 5, 5, 5}), 1);
}

TEST(Contrast, IsSignificantOnlyWhereTheDifferenceIs) {
  EXPECT_TRUE(isSignificant({20, 20, 0, 20}));
  EXPECT_TRUE(isSignificant({20, 20, 9, 20}));
  EXPECT_FALSE(isSignificant({3, 5, 2, 5}));
  EXPECT_FALSE(isSignificant({11, 20, 14, 20})); // the wrong way round
}

} // namespace
} // namespace symbiosis
