#include "tests/viz/diagnose_example.h"
#include "viz/picture.h"
#include <gmock/gmock.h>

namespace symbiosis {

using testing::diagnose;
using testing::Example;

TEST(Picture, TheFailureStandsInOneRowOfBothPanels) {
  const Example example = testing::runningExample();
  const Picture picture = makePicture(diagnose(example), example.trace, example.sources);
  ASSERT_TRUE(picture.hasAlternate);
  const Row& failing = picture.rows[picture.failureRow];
  EXPECT_TRUE(failing.isShared());
  EXPECT_EQ(picture.cardOf(failing).code, "assert(filled > 0);");
  EXPECT_EQ(picture.difference(), (std::array<std::string, 2>{"0", "1"}));
  EXPECT_EQ(picture.verdict[kFailing], "line 19: T2 reads filled = 0");
  EXPECT_EQ(picture.cardOf(failing).lock, "m 18–…") << "held at the failure";
}

TEST(Picture, OnlyTheIntruderMoves) {
  const Example example = testing::runningExample();
  const Picture picture = makePicture(diagnose(example), example.trace, example.sources);
  ASSERT_EQ(picture.moves.size(), 1u);
  EXPECT_TRUE(picture.moves[0].later);
  EXPECT_EQ(picture.moves[0].lane, 1u);
  ASSERT_EQ(picture.ghosts[kAlternate].size(), 1u);
  EXPECT_EQ(ghostWords(picture.ghosts[kAlternate][0]), "runs later (step 4)");
  EXPECT_EQ(ghostWords(picture.ghosts[kFailing][0]), "ran earlier (step 3)");
  ASSERT_TRUE(picture.region);
  EXPECT_TRUE(picture.region->isSplit[kFailing]);
  EXPECT_FALSE(picture.region->isSplit[kAlternate]);
}

TEST(Picture, OrderOnlyArrowsAreThoseThatNothingElseImplies) {
  const Example example = testing::bank();
  const Picture picture = makePicture(diagnose(example), example.trace, example.sources);
  auto orders = [&](size_t side) {
    return std::count_if(picture.arrows[side].begin(), picture.arrows[side].end(),
                         [](const Arrow& arrow) { return arrow.kind == ArrowKind::order; });
  };
  EXPECT_EQ(orders(kFailing), 1);
  EXPECT_EQ(orders(kAlternate), 0);
}

TEST(Picture, FoldsIdenticalStretches) {
  const Example example = testing::runningExample();
  const Picture picture = makePicture(diagnose(example), example.trace, example.sources);
  ASSERT_TRUE(picture.rows[0].isFold());
  EXPECT_EQ(foldWords(picture.rows[0]), "6 identical events");
}

TEST(Picture, WithoutAlternateHasOnePanel) {
  const Example example = testing::alwaysFails();
  const Picture picture = makePicture(diagnose(example), example.trace, example.sources);
  EXPECT_FALSE(picture.hasAlternate);
  EXPECT_EQ(picture.rows.size(), 3u);
  EXPECT_THAT(picture.alternative, ::testing::HasSubstr("Every schedule of this path fails"));
}

TEST(Picture, CertificateIsSaidOrItsAbsence) {
  const Example example = testing::bank();
  Diagnosis d = diagnose(example);
  EXPECT_EQ(makePicture(d, example.trace, {}).certificate, "not validated: replay is not part of this version");
  d.certificate = {{20, 20}, {20, 20, 19, 1, 0}, {20, 20}, ""};
  EXPECT_EQ(makePicture(d, example.trace, {}).certificate,
            "failing schedule 20/20 failed; alternate, a whole run, 20/20 passed; 19 of 20 continuations finish "
            "cleanly, 1 fails later");
  d.certificate = {{20, 20}, {50, 50, 0, 50, 0}, {}, "none of 50 ends well"};
  EXPECT_EQ(
      makePicture(d, example.trace, {}).certificate,
      "failing schedule 20/20 failed; 0 of 50 continuations finish cleanly, 50 fail later; incomplete: none of "
      "50 ends well");
}

} // namespace symbiosis
