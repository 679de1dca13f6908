#include "search/inversion.h"
#include "tests/dsp/example_traces.h"
#include <gtest/gtest.h>

namespace symbiosis {

using testing::bank;
using testing::Example;

TEST(Inversion, MovesTheLaterEventAndItsThreadBeforeTheEarlier) {
  const Example example = bank();
  const EventRef read2 = example.at(2, EventKind::read, 4), write1 = example.at(1, EventKind::write, 5);
  const std::vector<uint32_t> before = positionsOf(example.trace, example.failing);
  ASSERT_LT(before[read2], before[write1]);
  const EventOrder earlier = moveEarlier(example.trace, example.failing, before[read2], before[write1]);
  const std::vector<uint32_t> after = positionsOf(example.trace, earlier);
  EXPECT_EQ(after[write1] + 1, after[read2]);
  const EventOrder later = moveLater(example.trace, example.failing, before[read2], before[write1]);
  const std::vector<uint32_t> mirrored = positionsOf(example.trace, later);
  EXPECT_EQ(mirrored[write1] + 1, mirrored[read2]);
  EXPECT_LT(mirrored[read2], mirrored[example.at(2, EventKind::write, 5)]);
}

TEST(Inversion, RefusesWhatForkAndJoinForbid) {
  const Example example = bank();
  const std::vector<uint32_t> at = positionsOf(example.trace, example.failing);
  const EventRef init = example.at(0, EventKind::write, 9), read1 = example.at(1, EventKind::read, 4);
  EXPECT_TRUE(moveEarlier(example.trace, example.failing, at[init], at[read1]).empty());
  EXPECT_TRUE(moveLater(example.trace, example.failing, at[init], at[read1]).empty());
  const EventRef write2 = example.at(2, EventKind::write, 5), check = example.at(0, EventKind::read, 13);
  EXPECT_TRUE(moveEarlier(example.trace, example.failing, at[write2], at[check]).empty());
}

} // namespace symbiosis
