// Lives of heap blocks, from records that are made by hand.
#include "symexec/lives.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

format::OpRecord record(EventKind kind, uint64_t address, uint64_t size, uint64_t time) {
  format::OpRecord result{};
  result.kind = uint8_t(kind);
  result.object = address;
  result.argument = size;
  result.timestamp = time;
  return result;
}
format::OpRecord alloc(uint64_t address, uint64_t size, uint64_t time) {
  return record(EventKind::alloc, address, size, time);
}
format::OpRecord freeOf(uint64_t address, uint64_t time) { return record(EventKind::free, address, 0, time); }

// The block at 0x1000 lives twice; another thread ends its first life. The one at 0x2000 is never freed.
Recording twoThreads() {
  Recording recording;
  recording.threads.resize(2);
  recording.threads[0].ops = {alloc(0x1000, 16, 10), alloc(0, 8, 11), alloc(0x1000, 32, 30), freeOf(0x1000, 40)};
  recording.threads[1].ops = {freeOf(0x1000, 20), alloc(0x2000, 0, 25), freeOf(0x1000, 45)};
  return recording;
}

TEST(HeapLives, EndWithTheNextFreeOfTheirAddress) {
  const Recording recording = twoThreads();
  const HeapLives lives(recording);
  ASSERT_EQ(lives.all().size(), 3u); // an allocation that returned null begins none …
  EXPECT_EQ(lives.all()[0].end, 20u);
  EXPECT_EQ(lives.all()[0].freed, &recording.threads[1].ops[0]);
  EXPECT_EQ(lives.all()[1].ordinal, 3u); // … but is counted
  EXPECT_EQ(lives.all()[1].end, 40u);    // the second free of the same life ends nothing
  EXPECT_EQ(lives.all()[2].freed, nullptr);
  EXPECT_EQ(lives.all()[2].end, ~uint64_t{0});
}

TEST(HeapLives, OfLibrariesAreCountedApart) {
  Recording recording = twoThreads();
  recording.threads[0].ops[0].inLibrary = true;
  const HeapLives lives(recording);
  EXPECT_EQ(lives.all()[0].ordinal, 1u);
  EXPECT_EQ(lives.all()[1].ordinal, 2u);
}

TEST(HeapLives, OfALockEndWhenItIsDestroyedWhichIsNoFreeOfItsBlock) {
  Recording recording = twoThreads();
  recording.threads[1].ops.push_back(record(EventKind::destroy, 0x1000, 0, 15));
  recording.threads[1].ops.push_back(record(EventKind::destroy, 0x1000, 0, 35));
  const HeapLives lives(recording);
  EXPECT_EQ(lives.all()[0].end, 20u);
  EXPECT_EQ(lives.destroyedBefore(0x1000, 10), nullptr);
  ASSERT_NE(lives.destroyedBefore(0x1000, 30), nullptr);
  EXPECT_EQ(lives.destroyedBefore(0x1000, 30)->end, 15u);
  EXPECT_EQ(lives.destroyedBefore(0x1000, 40)->end, 35u);
  EXPECT_EQ(lives.destroyedBefore(0x1008, 40), nullptr);
}

TEST(HeapLives, TellWhichBlockAnAddressIsIn) {
  const Recording recording = twoThreads();
  const HeapLives lives(recording);
  EXPECT_EQ(lives.blockAt(0x101f).size, 32u); // the largest that ever began there
  EXPECT_EQ(lives.blockAt(0x1020).size, 0u);
  EXPECT_EQ(lives.blockAt(0xfff).size, 0u);
}

TEST(HeapLives, TellWhichOfThemHeldAnAddressLast) {
  const Recording recording = twoThreads();
  const HeapLives lives(recording);
  EXPECT_EQ(lives.lastAt(0x1008, 5), nullptr);
  EXPECT_EQ(lives.lastAt(0x1008, 15), &lives.all()[0]);
  EXPECT_EQ(lives.lastAt(0x1008, 25), &lives.all()[0]); // it is over, and nobody has followed yet
  EXPECT_EQ(lives.lastAt(0x1008, 35), &lives.all()[1]);
  EXPECT_EQ(lives.lastAt(0x1018, 25), nullptr); // the first was shorter
}

TEST(HeapLives, TellWhoFreedWhatASignalMissed) {
  const Recording recording = twoThreads();
  const HeapLives lives(recording);
  format::FailureRecord fault{};
  fault.cause = format::FailureCause::signal;
  fault.code = 1;
  fault.address = 0x1008;
  EXPECT_EQ(endedBeforeFault(lives, fault, 25)->freed, &recording.threads[1].ops[0]);
  EXPECT_EQ(endedBeforeFault(lives, fault, 35), nullptr); // the block lives again
  EXPECT_EQ(endedBeforeFault(lives, fault, 50)->freed, &recording.threads[0].ops[3]);
  fault.code = 0; // sent by somebody: the address means nothing
  EXPECT_EQ(endedBeforeFault(lives, fault, 25), nullptr);
}

} // namespace
} // namespace symbiosis
