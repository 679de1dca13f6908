// Delta debugging of schedules: the paper's own example, and what it promises, against models of programs.
#include "search/delta_debugging.h"
#include <gmock/gmock.h>
#include <random>

namespace symbiosis {
namespace {

using ::testing::ElementsAre;

// The paper's IntQueue (Figures 2 to 6): A enqueues 11, B dequeues, C enqueues 95. A statement is a step of the
// clock; at each of the given times the thread that runs is preempted, and the next one in turn that has not ended
// goes on.
class IntQueue {
public:
  TestOutcome run(const SwitchTimes& times) {
    if (!std::is_sorted(times.begin(), times.end())) return TestOutcome::unresolved;
    size_t next = 0, thread = 0;
    for (uint64_t clock = 0; at_[0] < 5 || at_[1] < 4 || at_[2] < 5; ++clock) {
      for (; next < times.size() && times[next] == clock; ++next) thread = (thread + 1) % 3;
      while (hasEnded(thread)) thread = (thread + 1) % 3;
      step(thread);
    }
    const bool holds95 = head_ != 0 && (head_ == 95 || link_[head_] == 95);
    return holds95 ? TestOutcome::pass : head_ == 0 ? TestOutcome::fail : TestOutcome::unresolved;
  }

private:
  bool hasEnded(size_t thread) const { return at_[thread] >= (thread == 1 ? 4 : 5); }
  void step(size_t thread) {
    const unsigned at = at_[thread]++;
    if (thread == 1) return dequeue(at);
    const unsigned element = thread == 0 ? 11 : 95;
    switch (at) {
    case 0: link_[element] = 0; break;
    case 1: wasEmpty_[thread] = head_ == 0; break;
    case 2: wasEmpty_[thread] ? head_ = element : link_[tail_] = element; break;
    case 3: tail_ = element; break;
    default: break; // returns
    }
  }
  void dequeue(unsigned at) {
    switch (at) {
    case 0: taken_ = head_; break;
    case 1:
      if (taken_ == tail_) tail_ = 0;
      break;
    case 2: following_ = link_[head_]; break; // head = link[head] is a read …
    case 3: head_ = following_; break;        // … and a write
    }
  }

  unsigned link_[100] = {}, head_ = 0, tail_ = 0, taken_ = 0, following_ = 0;
  bool wasEmpty_[3] = {};
  unsigned at_[3] = {};
};

TestOutcome onlyTheFourthSwitch(const SwitchTimes& times) {
  if (!std::is_sorted(times.begin(), times.end())) return TestOutcome::unresolved;
  return times[3] <= 10 ? TestOutcome::fail : TestOutcome::pass;
}

// Figure 6: 24 atomic differences, 4 tests, and what is left is switch 4 at time 10 and not 11.
TEST(DeltaDebugging, IsolatesThePapersExampleInFourTests) {
  const SwitchTimes passing{6, 12, 17, 17, 17}, failing{5, 7, 8, 10, 15};
  EXPECT_EQ(stepsBetween(passing, failing), 24u);
  size_t tests = 0;
  const Result<DeltaResult> result = isolateDifference(
      passing, failing,
      [&](const SwitchTimes& times) -> Result<TestOutcome> {
        ++tests;
        return onlyTheFourthSwitch(times);
      },
      [] { return true; });
  ASSERT_TRUE(result);
  EXPECT_EQ(tests, 4u);
  EXPECT_TRUE(result->isMinimal);
  EXPECT_THAT(result->failing, ElementsAre(5, 7, 8, 10, 17));
  EXPECT_THAT(result->passing, ElementsAre(5, 7, 8, 11, 17));
}

// A queue that is really executed: from some schedule that passes and some that fails.
TEST(DeltaDebugging, IsolatesOneStepOfAModelledQueue) {
  std::mt19937 random(1);
  auto draw = [&] {
    SwitchTimes times(5);
    for (uint64_t& time : times) time = random() % 15;
    std::sort(times.begin(), times.end());
    return times;
  };
  size_t isolated = 0;
  for (int round = 0; round < 300; ++round) {
    const SwitchTimes a = draw(), b = draw();
    if (IntQueue().run(a) != TestOutcome::pass || IntQueue().run(b) != TestOutcome::fail) continue;
    const Result<DeltaResult> result = isolateDifference(
        a, b, [](const SwitchTimes& times) -> Result<TestOutcome> { return IntQueue().run(times); },
        [] { return true; });
    ASSERT_TRUE(result);
    EXPECT_EQ(IntQueue().run(result->passing), TestOutcome::pass);
    EXPECT_EQ(IntQueue().run(result->failing), TestOutcome::fail);
    // 1-minimal (Definition 16): no single step can be added to what passes or taken from what fails.
    for (size_t i = 0; i < a.size(); ++i) {
      if (result->passing[i] == result->failing[i]) continue;
      if (stepsBetween(result->passing, result->failing) == 1) break;
      const bool up = result->failing[i] > result->passing[i];
      SwitchTimes added = result->passing, taken = result->failing;
      up ? ++added[i] : --added[i];
      up ? --taken[i] : ++taken[i];
      EXPECT_NE(IntQueue().run(added), TestOutcome::pass);
      EXPECT_NE(IntQueue().run(taken), TestOutcome::fail);
    }
    ++isolated;
  }
  EXPECT_GT(isolated, 5u);
}

// The size of the paper's case study (§6: 3,842,577,240 atomic deltas, 50 tests).
TEST(DeltaDebugging, IsolatesAmongBillionsOfStepsInFewTests) {
  constexpr size_t kSwitches = 3000, kGuilty = 1741;
  SwitchTimes passing(kSwitches), failing(kSwitches);
  std::mt19937_64 random(7);
  for (size_t i = 0; i < kSwitches; ++i) {
    passing[i] = 4'000'000 + random() % 1000;
    failing[i] = passing[i] + 1'000'000 + random() % 1'000'000;
  }
  ASSERT_GT(stepsBetween(passing, failing), 3'800'000'000u);
  const uint64_t threshold = passing[kGuilty] + 777'777;
  size_t tests = 0;
  const Result<DeltaResult> result = isolateDifference(
      passing, failing,
      [&](const SwitchTimes& times) -> Result<TestOutcome> {
        ++tests;
        return times[kGuilty] >= threshold ? TestOutcome::fail : TestOutcome::pass;
      },
      [] { return true; });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failing[kGuilty], threshold);
  EXPECT_EQ(stepsBetween(result->passing, result->failing), 1u);
  EXPECT_LE(tests, 50u);
}

// Two switches that fail only together, and pass alone: both are left.
TEST(DeltaDebugging, KeepsTwoSwitchesThatAreNeededTogether) {
  const SwitchTimes passing(16, 5), failing(16, 9);
  auto test = [](const SwitchTimes& times) -> Result<TestOutcome> {
    const bool one = times[3] == 9, other = times[12] == 9;
    return one && other ? TestOutcome::fail : one != other ? TestOutcome::unresolved : TestOutcome::pass;
  };
  const Result<DeltaResult> result = isolateDifference(passing, failing, test, [] { return true; });
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->isMinimal);
  EXPECT_EQ(switchesThatDiffer(result->passing, result->failing), 2u);
}

TEST(DeltaDebugging, StopsWhenTheBudgetIsSpent) {
  const SwitchTimes passing(64, 0), failing(64, 1000);
  size_t tests = 0;
  const Result<DeltaResult> result = isolateDifference(
      passing, failing,
      [&](const SwitchTimes& times) -> Result<TestOutcome> {
        ++tests;
        return times[40] > 500 ? TestOutcome::fail : TestOutcome::pass;
      },
      [&] { return tests < 3; });
  ASSERT_TRUE(result);
  EXPECT_EQ(tests, 3u);
  EXPECT_FALSE(result->isMinimal);
  EXPECT_LT(stepsBetween(result->passing, result->failing), stepsBetween(passing, failing));
}

TEST(DeltaDebugging, AnErrorOfATestIsTheAnswer) {
  const Result<DeltaResult> result = isolateDifference(
      {1, 2}, {3, 4}, [](const SwitchTimes&) -> Result<TestOutcome> { return gaveUp("no"); }, [] { return true; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no");
}

} // namespace
} // namespace symbiosis
