#include "search/open_areas.h"
#include <gmock/gmock.h>
#include <random>

namespace symbiosis {
namespace {

using Progress = std::vector<size_t>;

size_t areasWith(const std::vector<OpenArea>& areas, const Progress& progress) {
  size_t count = 0;
  for (const OpenArea& area : areas) count += isWithin(area.box, progress);
  return count;
}

template <typename Visit> void forEachProgress(size_t most, Visit visit) {
  for (size_t a = 0; a <= most; ++a)
    for (size_t b = 0; b <= most; ++b)
      for (size_t c = 0; c <= most; ++c) visit(Progress{a, b, c});
}

// Every progress that is left is in one area, and what was taken away is in none.
TEST(OpenAreas, KeepExactlyWhatWasNotTakenAway) {
  constexpr size_t kMost = 4;
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<OpenArea> areas{{{{0, kMost}, {0, kMost}, {0, kMost}}, {}}};
    std::vector<Progress> taken;
    for (size_t i = 0; i < 1 + random() % 4; ++i) {
      taken.push_back({random() % (kMost + 1), random() % (kMost + 1), random() % (kMost + 1)});
      areas = without(areas, taken.back());
    }
    forEachProgress(kMost, [&](const Progress& progress) {
      const bool isGone = std::any_of(taken.begin(), taken.end(), [&](const Progress& limits) {
        return progress[0] <= limits[0] && progress[1] <= limits[1] && progress[2] <= limits[2];
      });
      EXPECT_EQ(areasWith(areas, progress), isGone ? 0 : 1);
    });
  }
}

TEST(OpenAreas, AnAnsweredBoxIsTakenOutOfTheMiddle) {
  const std::vector<OpenArea> areas = withoutBox({{{{0, 4}, {0, 4}, {0, 4}}, {}}}, {{1, 2}, {0, 4}, {3, 3}});
  forEachProgress(4, [&](const Progress& progress) {
    const bool isGone = progress[0] >= 1 && progress[0] <= 2 && progress[2] == 3;
    EXPECT_EQ(areasWith(areas, progress), isGone ? 0 : 1);
  });
}

TEST(OpenAreas, WhatIsKnownIsExcludedOnlyWhereItIsKnown) {
  const std::vector<OpenArea> areas = excluding({{{{0, 4}, {0, 4}, {0, 4}}, {}}}, {2, 3, 4}, ExprId{7});
  forEachProgress(4, [&](const Progress& progress) {
    ASSERT_EQ(areasWith(areas, progress), 1);
    for (const OpenArea& area : areas)
      if (isWithin(area.box, progress)) {
        EXPECT_EQ(!area.excluded.empty(), progress[0] <= 2 && progress[1] <= 3);
      }
  });
}

} // namespace
} // namespace symbiosis
