#include "dsp/wording.h"
#include <gtest/gtest.h>

namespace symbiosis {

TEST(Wording, ValuesAreSignedAndAddressesHexadecimal) {
  EXPECT_EQ(formatValue({0xFFFFFFFF, 32}), "-1");
  EXPECT_EQ(formatValue({200, 32}), "200");
  EXPECT_EQ(formatValue({1, 1}), "1");
  EXPECT_EQ(formatValue({0x7ffff7a01230, 64}), "0x7ffff7a01230");
  EXPECT_EQ(formatValue({~uint64_t{0}, 64}), "-1");
  EXPECT_EQ(formatValue({0x4059400000000000, 64, true}), "101.0");
}

TEST(Wording, ShorteningCutsTheMiddleAndCountsCharacters) {
  EXPECT_EQ(shortenMiddle("filled", 6), "filled");
  EXPECT_EQ(shortenMiddle("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(shortenMiddle("äöüßäöüß", 4), "äö…ß");
  EXPECT_EQ(characters(shortenMiddle("äöüßäöüß", 4)), 4u);
  EXPECT_EQ(shortenMiddle("abc", 1), "…");
  EXPECT_EQ(shortenMiddle("abc", 0), "");
}

TEST(Wording, FileNames) {
  EXPECT_EQ(fileName("src/queue.c"), "queue.c");
  EXPECT_EQ(fileName("queue.c"), "queue.c");
}

} // namespace symbiosis
