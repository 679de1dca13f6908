#include "dsp/critical_sections.h"
#include "tests/dsp/example_traces.h"
#include <gtest/gtest.h>

namespace symbiosis {

TEST(CriticalSections, AreFoundAroundAnEvent) {
  testing::Example example = testing::runningExample();
  const CriticalSections sections(example.trace);
  const std::vector<LockedRegion> around = sections.around(example.at(1, EventKind::write, 20));
  ASSERT_EQ(around.size(), 1u);
  EXPECT_EQ(around[0].first, example.at(1, EventKind::lock, 18));
  EXPECT_EQ(around[0].last, example.at(1, EventKind::unlock, 21));
  EXPECT_EQ(sections.ofThread(1).size(), 2u);
  EXPECT_TRUE(sections.around(example.at(0, EventKind::write, 2)).empty());
}

TEST(CriticalSections, NestAndMayStayOpen) {
  testing::TraceBuilder b(1);
  b.variable("x", 0);
  b.start(0), b.lock(0, "m", 1), b.lock(0, "n", 2), b.read(0, "x", 3), b.unlock(0, "m", 4), b.read(0, "x", 5);
  const SymbolicTrace trace = b.build();
  const CriticalSections sections(trace);
  EXPECT_EQ(sections.around(3).size(), 2u);
  ASSERT_EQ(sections.around(5).size(), 1u);
  EXPECT_FALSE(sections.around(5)[0].released);
  EXPECT_EQ(sections.around(5)[0].last, 5u);
}

} // namespace symbiosis
