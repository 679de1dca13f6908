// Which uses of a block must be kept before the `free` of another thread, from records that are made by hand.
#include "symexec/uses_before_free.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

format::OpRecord record(EventKind kind, uint64_t object, uint64_t argument, uint64_t time) {
  format::OpRecord result{};
  result.kind = uint8_t(kind);
  result.state = format::OpState::done;
  result.object = object;
  result.argument = argument;
  result.timestamp = time;
  return result;
}

// The main thread allocates a block, creates two threads, of which the first frees the block.
class OneBlock : public ::testing::Test {
protected:
  OneBlock() {
    recording_.threads.resize(3);
    for (uint32_t t = 0; t < 3; ++t) recording_.threads[t].serial = t;
    recording_.threads[0].ops = {record(EventKind::alloc, 0x1000, 64, 10), record(EventKind::fork, 0, 1, 20),
                                 record(EventKind::fork, 0, 2, 21)};
    recording_.threads[1].ops = {record(EventKind::join, 0, 2, 50), record(EventKind::free, 0x1000, 0, 60)};
  }
  void grant(uint32_t thread, uint64_t index) {
    format::ControlEntry entry{};
    entry.thread = thread;
    entry.index = index;
    recording_.granted.push_back(entry);
  }
  // Each use is noted first, as the first walk does.
  bool isAsked(const std::vector<UsesBeforeFree::Standing>& uses, size_t which, uint64_t address = 0x1008) {
    const HeapLives lives(recording_);
    UsesBeforeFree all(recording_, lives);
    for (const UsesBeforeFree::Standing& use : uses)
      if (all.mayHold(address)) all.noteUse(use, address);
    all.noteOperation(recording_.threads[0].ops[0], {0, 0});
    all.noteOperation(recording_.threads[1].ops[1], {1, 3, 1});
    all.settle();
    return all.lifeAt(uses[which], address) != nullptr;
  }
  Recording recording_;
};

TEST_F(OneBlock, IsUsedBeforeAnotherThreadFreesIt) {
  EXPECT_TRUE(isAsked({{0, 5, 3, 21, 55}}, 0));
  EXPECT_TRUE(isAsked({{0, 5, 3, 21, 55}}, 0, 0x103f));
  EXPECT_FALSE(isAsked({{0, 5, 3, 21, 55}}, 0, 0x1040)); // behind it
}

TEST_F(OneBlock, NotIfItIsNotCertainThatTheUseCameFirst) {
  EXPECT_FALSE(isAsked({{0, 5, 3, 21, 65}}, 0));
  grant(0, 5), grant(1, 3), grant(0, 6);
  EXPECT_TRUE(isAsked({{0, 5, 3, 21, 65}}, 0)); // the granted order tells
  EXPECT_FALSE(isAsked({{0, 6, 3, 21, 65}}, 0));
  EXPECT_FALSE(isAsked({{0, 7, 3, 21, 65}}, 0));
}

TEST_F(OneBlock, NotByTheThreadThatFreesItNorBeforeThatIsCreatedNorBehindAJoin) {
  EXPECT_FALSE(isAsked({{1, 2, 1, 50, 55}}, 0));
  EXPECT_FALSE(isAsked({{0, 1, 1, 10, 20}}, 0));
  EXPECT_FALSE(isAsked({{2, 2, 0, 22, 40}}, 0));
  recording_.threads[1].ops[0].result = 3; // it was not joined
  EXPECT_TRUE(isAsked({{2, 2, 0, 22, 40}}, 0));
}

TEST_F(OneBlock, OfSeveralLivesAtOneAddressThatAtTheTime) {
  recording_.threads[0].ops.push_back(record(EventKind::alloc, 0x1000, 64, 70));
  recording_.threads[1].ops.push_back(record(EventKind::free, 0x1000, 0, 90));
  EXPECT_TRUE(isAsked({{0, 5, 3, 21, 55}}, 0));
  EXPECT_TRUE(isAsked({{0, 9, 4, 71, 85}}, 0));
  EXPECT_FALSE(isAsked({{0, 9, 4, 50, 85}}, 0)); // one of both
}

} // namespace
} // namespace symbiosis
