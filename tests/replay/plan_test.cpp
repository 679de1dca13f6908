#include "replay/plan.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

using format::EntryType;

Schedule scheduleEndingWith(EventKind kind, uint32_t choice) {
  return {"", {{"0", 0, EventKind::start, "-", 0}, {"0", 5, kind, "-", choice}}};
}

TEST(Plan, AnAssertionIsAnOperationOfItsOwn) {
  Result<Plan> plan = planOf(scheduleEndingWith(EventKind::failure, 0), Expectation::fails);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries[1].type, EntryType::event);
  EXPECT_EQ(plan->entries[1].index, 5u);
}

TEST(Plan, ASignalComesAfterWhatTheFailingCallDoes) {
  const FailurePoint signal{"", true};
  Result<Plan> fails = planOf(scheduleEndingWith(EventKind::failure, 3), Expectation::fails, signal);
  ASSERT_TRUE(fails);
  EXPECT_EQ(fails->entries[1].type, EntryType::crash);
  EXPECT_EQ(fails->entries[1].index, 8u);
  // A run that passes does none of that.
  Result<Plan> passes = planOf(scheduleEndingWith(EventKind::failure, 3), Expectation::passes, signal);
  ASSERT_TRUE(passes);
  EXPECT_EQ(passes->entries[1].type, EntryType::pass);
  EXPECT_EQ(passes->entries[1].index, 5u);
}

TEST(Plan, AnExitComesAfterItsHandlers) {
  const FailurePoint exits{"0", false};
  Result<Plan> fails = planOf(scheduleEndingWith(EventKind::exit, 2), Expectation::fails, exits);
  ASSERT_TRUE(fails);
  EXPECT_EQ(fails->entries[1].type, EntryType::event);
  EXPECT_EQ(fails->entries[1].index, 7u);
  Result<Plan> passes = planOf(scheduleEndingWith(EventKind::exit, 2), Expectation::passes, exits);
  ASSERT_TRUE(passes);
  EXPECT_EQ(passes->entries[1].index, 5u);
}

TEST(Plan, WhoWaitedForEverIsHeldThereOrGoesOn) {
  Result<Plan> fails = planOf(scheduleEndingWith(EventKind::lock, kPendingOperation), Expectation::fails);
  ASSERT_TRUE(fails);
  EXPECT_EQ(fails->entries[1].type, EntryType::hold);
  EXPECT_EQ(fails->entries[1].index, 5u);
  Result<Plan> passes = planOf(scheduleEndingWith(EventKind::lock, kPendingOperation), Expectation::passes);
  ASSERT_TRUE(passes);
  EXPECT_EQ(passes->entries[1].type, EntryType::proceed);
}

} // namespace
} // namespace symbiosis
