// Which memory is shared, of runs short and long: main is thread 0, and what it does before another one begins is
// early.
#include "symexec/sharing.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

constexpr uint64_t kWord = 0x1000;

// Main writes the word before the others begin; then `late` says who uses it.
template <typename Late> Sharing afterEarlyWrite(bool isLong, Late late) {
  Sharing sharing;
  sharing.walkBegins();
  sharing.note(Sharing::kMain, kWord, 8, true);
  sharing.threadBegins();
  late(sharing);
  sharing.settle(isLong);
  return sharing;
}

TEST(Sharing, OfAShortRunIsWhatTwoThreadsTouchAndOneWrites) {
  const Sharing sharing = afterEarlyWrite(false, [](Sharing& s) { s.note(1, kWord, 8, false); });
  EXPECT_TRUE(sharing.touchesShared(kWord, 8));
  EXPECT_FALSE(sharing.touchesShared(kWord + 8, 8));
}

TEST(Sharing, OfALongRunIsNotWhatIsOnlyReadLater) {
  const Sharing sharing = afterEarlyWrite(true, [](Sharing& s) {
    s.note(1, kWord, 8, false);
    s.note(2, kWord, 8, false);
  });
  EXPECT_FALSE(sharing.touchesShared(kWord, 8));
}

TEST(Sharing, OfALongRunIsNotWhatOneThreadHasToItselfLater) {
  const Sharing sharing = afterEarlyWrite(true, [](Sharing& s) {
    s.note(1, kWord, 8, false);
    s.note(1, kWord, 8, true);
  });
  EXPECT_FALSE(sharing.touchesShared(kWord, 8));
}

TEST(Sharing, OfALongRunIsNotWhatNobodyReadsLater) {
  const Sharing sharing = afterEarlyWrite(true, [](Sharing& s) {
    s.note(1, kWord, 8, true);
    s.note(2, kWord, 8, true);
  });
  EXPECT_FALSE(sharing.touchesShared(kWord, 8));
}

TEST(Sharing, TheOnlyWriterFindsWhatItWrote) {
  const Sharing sharing = afterEarlyWrite(true, [](Sharing& s) {
    s.note(1, kWord, 8, true);
    s.note(2, kWord, 8, false);
  });
  EXPECT_TRUE(sharing.touchesShared(kWord, 8));
  EXPECT_FALSE(sharing.readsShared(1, kWord, 8));
  EXPECT_TRUE(sharing.readsShared(2, kWord, 8));
}

TEST(Sharing, AReadThatMayBeThereMakesAnEventOfTheWrites) {
  Sharing sharing = afterEarlyWrite(true, [](Sharing& s) {
    s.note(1, kWord, 8, true);
    s.note(2, kWord, 8, true);
  });
  EXPECT_TRUE(sharing.noteMaybe(1, kWord, 8, false));
  EXPECT_TRUE(sharing.touchesShared(kWord, 8));
}

} // namespace
} // namespace symbiosis
