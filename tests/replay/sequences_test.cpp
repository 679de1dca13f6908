// Sequences that are wanted are made of what was seen, within their bounds, and follow from the seed.
#include "replay/sequences.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

// A check and an update of a variable (1, 2), which another place overwrites (3).
RunLessons someLessons() {
  RunLessons lessons;
  lessons.contended = {{1, {true, false}}, {2, {false, true}}, {3, {false, true}}};
  lessons.together = {{1, 2}, {1, 3}};
  lessons.flows = {{0, 1, false}};
  lessons.neighbours = {{1, 2}};
  return lessons;
}

bool operator==(const format::SequenceStep& a, const format::SequenceStep& b) {
  return a.place == b.place && a.role == b.role;
}
bool same(const Steps& a, const Steps& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return x == y; });
}

TEST(Sequences, ThereAreNoneWhereNothingIsContended) {
  EXPECT_TRUE(Sequences().propose(1).empty());
  Sequences sequences;
  sequences.learn({}, {});
  EXPECT_TRUE(sequences.propose(1).empty());
}

TEST(Sequences, AreMadeOfKnownPlacesAndFollowFromTheSeed) {
  Sequences sequences;
  EXPECT_EQ(sequences.learn(someLessons(), {}), 1.0);
  EXPECT_EQ(sequences.learn(someLessons(), {}), 0.5); // nothing new
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Steps steps = sequences.propose(seed);
    EXPECT_TRUE(same(steps, sequences.propose(seed)));
    ASSERT_GE(steps.size(), 1u);
    ASSERT_LE(steps.size(), format::kMostSteps);
    for (const format::SequenceStep& step : steps) {
      EXPECT_TRUE(step.place >= 1 && step.place <= 3);
      EXPECT_LT(step.role, format::kMostRoles);
    }
  }
}

// The write of another thread between check and update is among what is wanted.
TEST(Sequences, WantAnotherThreadBetweenNeighbours) {
  Sequences sequences;
  sequences.learn(someLessons(), {});
  bool found = false;
  for (uint64_t seed = 0; seed < 500 && !found; ++seed)
    found = same(sequences.propose(seed), {{1, 0, 0}, {3, 1, 0}, {2, 0, 0}});
  EXPECT_TRUE(found);
}

TEST(Sequences, ThoseThatShowedSomethingNewAreVaried) {
  Sequences sequences;
  sequences.learn(someLessons(), {});
  RunLessons more = someLessons();
  more.flows.insert({3, 1, true});
  const Steps steps = {{3, 5, 0}, {3, 6, 0}, {1, 7, 0}}; // roles that no pattern has
  EXPECT_EQ(sequences.learn(more, steps), 1.0);
  size_t varied = 0;
  for (uint64_t seed = 0; seed < 300; ++seed)
    for (const format::SequenceStep& step : sequences.propose(seed)) varied += step.role == 7;
  EXPECT_GT(varied, 0u);
}

} // namespace
} // namespace symbiosis
