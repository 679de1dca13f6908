// What a run is said to show is what its log says.
#include "replay/variables.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

format::ControlEntry entry(uint32_t thread, EventKind kind, uint64_t object, uint32_t site) {
  format::ControlEntry result{};
  result.thread = thread;
  result.kind = uint8_t(kind);
  result.object = object;
  result.site = site;
  return result;
}

ControlReport reportOf(std::vector<format::ControlEntry> log) {
  ControlReport report;
  report.threads = {{0, 0}, {0, 1}, {0, 2}};
  report.log = std::move(log);
  return report;
}

constexpr uint64_t kX = 0x1000, kY = 0x2000, kPrivate = 0x3000, kMutex = 0x4000;

TEST(RunLessons, PlacesAreContendedWhereTwoThreadsMeetAndOneWrites) {
  const auto lessons = lessonsOf(reportOf({
      entry(1, EventKind::write, kX, 11),
      entry(1, EventKind::write, kPrivate, 12),
      entry(2, EventKind::read, kX + 4, 13), // the same word
      entry(1, EventKind::read, kY, 14),
      entry(2, EventKind::read, kY, 15), // both only read
      entry(1, EventKind::fork, kX, 0),
  }));
  ASSERT_TRUE(lessons);
  ASSERT_EQ(lessons->contended.size(), 2u);
  EXPECT_TRUE(lessons->contended.at(11).writes && !lessons->contended.at(11).reads);
  EXPECT_TRUE(lessons->contended.at(13).reads && !lessons->contended.at(13).writes);
  EXPECT_EQ(lessons->operations, (std::vector<uint64_t>{0, 4, 2}));
  EXPECT_EQ(lessons->visits[1], (std::map<uint64_t, uint64_t>{{11, 1}}));
  EXPECT_EQ(lessons->flows, (std::set<PlaceFlow>{{11, 13, true}}));
}

TEST(RunLessons, AReadTakesTheLastWriteAndALockFollowsTheLastRelease) {
  const auto lessons = lessonsOf(reportOf({
      entry(1, EventKind::read, kX, 10),
      entry(1, EventKind::write, kX, 11),
      entry(2, EventKind::rmw, kX, 20),
      entry(1, EventKind::read, kX, 12),
      entry(1, EventKind::unlock, kMutex, 0),
      entry(2, EventKind::lock, kMutex, 0),
  }));
  ASSERT_TRUE(lessons);
  const uint64_t released = format::placeOf(uint8_t(EventKind::unlock), kMutex, 0, 12);
  const uint64_t locked = format::placeOf(uint8_t(EventKind::lock), kMutex, 0, 20);
  EXPECT_EQ(lessons->flows,
            (std::set<PlaceFlow>{
                {0, 10, false}, {11, 20, true}, {20, 12, true}, {0, released, false}, {released, locked, true}}));
  EXPECT_EQ(lessons->neighbours,
            (std::set<std::pair<uint64_t, uint64_t>>{{10, 11}, {11, 12}, {12, released}, {20, locked}}));
}

TEST(RunLessons, NothingIsLearntFromALogThatIsCutOff) {
  EXPECT_FALSE(lessonsOf(reportOf({})));
  EXPECT_FALSE(lessonsOf(reportOf(std::vector<format::ControlEntry>(format::kMostLoggedPoints))));
}

TEST(Variables, AreThePlacesAtWhichTheSameIsAccessed) {
  Variables variables;
  variables.learn(*lessonsOf(reportOf({entry(1, EventKind::write, kX, 3), entry(2, EventKind::read, kX, 1),
                                       entry(1, EventKind::write, kY, 2), entry(2, EventKind::write, kY, 4)})));
  EXPECT_EQ(variables.all(), (std::vector<std::vector<uint64_t>>{{1, 3}, {2, 4}}));
  // Another run accesses X at a place of Y: they are one.
  variables.learn(*lessonsOf(reportOf({entry(1, EventKind::write, kX, 3), entry(2, EventKind::read, kX, 4)})));
  EXPECT_EQ(variables.all(), (std::vector<std::vector<uint64_t>>{{1, 2, 3, 4}}));
}

} // namespace
} // namespace symbiosis
