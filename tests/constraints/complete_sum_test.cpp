// Counters whose check passes only if no update was lost, and counters that look like it.
#include "all_interleavings.h"
#include "brute_force_checks.h"
#include "constraints/complete_sum.h"
#include "tests/support/scale.h"
#include "tests/trace_builder.h"
#include "trace_drafts.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using testing::Interleaving;

// Two or three threads add to a counter, with and without a lock, and the main thread checks it. Often enough
// something is different: amounts of both signs, a plain write, a value that is written twice, a check for less.
class CounterTrace : testing::TraceDrafts {
public:
  explicit CounterTrace(std::mt19937& random) : TraceDrafts(random) {}

  SymbolicTrace run() {
    for (const char* name : {"counter", "m", "expected"})
      trace_.objects.push_back({ObjectKind::global, std::string("global:") + name, name, 1});
    trace_.cells.push_back({kCounter, 0, 1, exprs().constant(below(2), 8)});
    trace_.cells.push_back({kExpected, 0, 1, exprs().constant(below(2), 8)});
    total_ = uint8_t(exprs().constantValue(trace_.cells[0].initial));
    drafts_.resize(chance(70) ? 3 : 4);
    isDown_ = chance(30);
    for (ThreadIndex thread = 0; thread < drafts_.size(); ++thread) add(thread, EventKind::start);
    if (chance(30)) set(0);
    // What is expected is written by the main thread in time, or by another one perhaps too late.
    if (chance(30)) {
      expects_ = chance(60) ? 0 : 1;
      access(expects_, EventKind::write, kExpectedCell);
      expectedAt_ = drafts_[expects_].size() - 1;
    }
    for (ThreadIndex child = 1; child < drafts_.size(); ++child) add(0, EventKind::fork).event.peer = child;
    if (chance(20)) set(1 + below(2)); // others may have added before
    const uint32_t mostUpdates = drafts_.size() > 3 ? 1 : 2;
    for (ThreadIndex thread = 1; thread < drafts_.size(); ++thread)
      for (uint32_t i = 0, count = 1 + below(mostUpdates); i < count; ++i) update(thread);
    joinAll_ = chance(expects_ == 1 ? 30 : 85);
    for (ThreadIndex child = 1; child < drafts_.size(); ++child) {
      if (!joinAll_ && chance(50)) continue;
      add(child, EventKind::exit);
      add(0, EventKind::join).event.peer = child;
    }
    check();
    assemble();
    chooseConditions({}, 10);
    trace_.failure.bug = bug_;
    return std::move(trace_);
  }

private:
  static constexpr uint32_t kCounter = 0, kMutex = 1, kExpected = 2, kExpectedCell = 1;

  Draft& access(ThreadIndex thread, EventKind kind, uint32_t cell = 0) {
    Draft& draft = add(thread, kind);
    draft.event.object = trace_.cells[cell].object;
    draft.parts.push_back({.cell = cell, .symbol = kNone, .written = kNoExpr});
    if (kind == EventKind::write) return draft;
    draft.parts[0].symbol = uint32_t(trace_.symbols.size());
    trace_.symbols.push_back({.width = 8, .event = kNoEvent, .observed = {}});
    value_ = exprs().symbol(draft.parts[0].symbol, 8);
    return draft;
  }
  void set(ThreadIndex thread) {
    const uint8_t value = uint8_t(below(3));
    access(thread, EventKind::write).parts[0].written = exprs().constant(value, 8);
    total_ = value;
  }
  ExprId changed(ExprId value) {
    const uint8_t size = uint8_t(chance(5) ? 0 : 1 + below(2));
    const bool isDown = chance(5) != isDown_;
    total_ = uint8_t(total_ + (isDown ? -size : size));
    const bool asDifference = chance(30);
    return exprs().binary(asDifference ? ExprOp::sub : ExprOp::add, value,
                          exprs().constant(uint8_t(isDown != asDifference ? -size : size), 8));
  }
  void update(ThreadIndex thread) {
    if (chance(12)) {
      Draft& draft = access(thread, EventKind::rmw);
      draft.parts[0].written = changed(value_);
      return;
    }
    const bool isLocked = chance(35);
    if (isLocked) add(thread, EventKind::lock).event.object = kMutex;
    Draft& read = access(thread, EventKind::read);
    if (chance(10)) read.conditions.push_back(exprs().binary(ExprOp::ult, value_, exprs().constant(3, 8)));
    const ExprId seen = value_;
    if (chance(5)) access(thread, EventKind::read); // looks again, and may add to the older value
    access(thread, EventKind::write).parts[0].written = changed(chance(50) ? seen : value_);
    if (chance(4)) access(thread, EventKind::write).parts[0].written = changed(seen);
    if (isLocked) add(thread, EventKind::unlock).event.object = kMutex;
  }
  void check() {
    access(0, EventKind::read);
    const ExprId seen = value_;
    ExprId total = exprs().constant(chance(85) ? total_ : uint8_t(total_ + below(3) - 1), 8);
    if (expects_ != kNone) {
      drafts_[expects_][expectedAt_].parts[0].written = total;
      access(0, EventKind::read, kExpectedCell);
      total = value_;
    }
    bug_ = {chance(75) ? exprs().negate(exprs().binary(ExprOp::eq, seen, total))
            : !isDown_ ? exprs().binary(ExprOp::ult, seen, total)
                       : exprs().binary(ExprOp::slt, total, seen)};
    add(0, EventKind::failure);
  }

  uint8_t total_ = 0; // if no update is lost
  bool isDown_ = false, joinAll_ = true;
  ThreadIndex expects_ = kNone; // writes what is expected
  size_t expectedAt_ = 0;       // with this of its drafts
  ExprId value_ = kNoExpr;      // read last
  std::vector<ExprId> bug_;
};

bool excludeEachOther(const Update& a, const Update& b, const std::vector<uint8_t>& position) {
  return position[a.write] < position[b.read] || position[b.write] < position[a.read];
}

TEST(CompleteSum, UpdatesExcludeEachOtherInPassingSchedules) {
  const size_t kTraces = 300 * testing::testScale(), kMostInterleavings = 2000, kQuestions = 12;
  testing::Seen seen;
  size_t applies = 0, doesNot = 0;
  for (unsigned seed = 0; applies + doesNot < kTraces; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = CounterTrace(random).run();
    const auto all = testing::allInterleavings(trace, kMostInterleavings);
    if (!all) continue;
    count(trace, *all, seen);
    const std::vector<Update> updates = updatesNotToLose(CompiledTrace(trace));
    ++(updates.empty() ? doesNot : applies);
    for (const Interleaving& one : *all) {
      if (one.outcome != Outcome::passing) continue;
      for (size_t i = 0; i < updates.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          ASSERT_TRUE(excludeEachOther(updates[i], updates[j], one.position)) << "seed " << seed << "\n"
                                                                              << toText(trace);
    }
    testing::checkSearches(trace, *all, random, kQuestions, seen);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(applies, kTraces / 4);
  EXPECT_GT(doesNot, kTraces / 5);
  EXPECT_GT(seen.both, kTraces / 4);
  EXPECT_GT(seen.provedRelaxed, kTraces / 10);
  EXPECT_GT(seen.foundRelaxed, kTraces);
}

// What is expected counts only if it is there in time.
TEST(CompleteSum, WhatIsExpectedMustBeSure) {
  for (const ThreadIndex writer : {0u, 1u}) {
    testing::TraceBuilder b(3);
    b.variable("counter", 0);
    b.variable("expected", 0);
    b.start(0);
    if (writer == 0) b.write(0, "expected", b.constant(2), 1);
    for (const ThreadIndex child : {1u, 2u}) b.fork(0, child, 2);
    for (const ThreadIndex child : {1u, 2u}) {
      b.start(child);
      if (writer == child) b.write(child, "expected", b.constant(2), 11);
      const ExprId seen = b.read(child, "counter", 12);
      b.write(child, "counter", b.trace.exprs.binary(ExprOp::add, seen, b.constant(1)), 12);
    }
    const ExprId counter = b.read(0, "counter", 3), expected = b.read(0, "expected", 3);
    b.failure(0, {b.trace.exprs.negate(b.trace.exprs.binary(ExprOp::eq, counter, expected))}, 3);
    const SymbolicTrace trace = b.build();
    EXPECT_EQ(updatesNotToLose(CompiledTrace(trace)).size(), writer == 0 ? 2u : 0u);
  }
}

} // namespace
} // namespace symbiosis
