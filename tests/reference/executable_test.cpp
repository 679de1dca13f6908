// The executable, under control, does what the reference interpreter says that the program can do, and nothing
// else.
#include "tests/reference/executable.h"
#include "tests/reference/random_program.h"
#include "tests/support/scale.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace symbiosis::reference {
namespace {

Possibilities possibilitiesOf(const std::string& text) {
  Result<TinyProgram> program = parseTinyProgram(text);
  EXPECT_TRUE(program) << program.error().message;
  Result<Possibilities> found = interleave(*program);
  EXPECT_TRUE(found) << found.error().message << "\n" << text;
  return found ? *found : Possibilities{};
}

enum class Until { allSeen, end };

// Explores so many schedules, or until all outcomes have been seen; none may have an outcome that is not possible.
// The texts of the outcomes that were not seen.
std::set<std::string> unseen(const std::string& text, const Possibilities& possible, uint64_t schedules,
                             uint64_t seed, Until until) {
  std::set<std::string> left;
  for (const auto& [outcome, steps] : possible.outcomes) left.insert(outcome.text);
  const TinyExecutable executable(text);
  for (uint64_t number = 1; number <= schedules && (until == Until::end || !left.empty()); ++number) {
    Result<TinyExecutable::Run> run = executable.explore(number, seed);
    EXPECT_TRUE(run) << run.error().message << "\n" << text;
    if (!run) return left;
    const bool isPossible = possible.outcomes.count(run->outcome) != 0;
    EXPECT_TRUE(isPossible) << "run " << number << " of seed " << seed << ": " << run->outcome.text << " "
                            << run->report.text << "\n"
                            << text;
    if (!isPossible) return left;
    left.erase(run->outcome.text);
  }
  return left;
}

struct Named {
  const char* name;
  const char* text;
};

// In the name of the test.
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class SmallProgram : public ::testing::TestWithParam<Named> {};

TEST_P(SmallProgram, ShowsAllItsOutcomes) {
  const std::string text = GetParam().text;
  const Possibilities possible = possibilitiesOf(text);
  EXPECT_GT(possible.outcomes.size(), 1u);
  for (const std::string& outcome : unseen(text, possible, 1000, 1, Until::allSeen))
    ADD_FAILURE() << "not seen in 1000 schedules: " << outcome << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, SmallProgram,
    ::testing::Values(
        Named{"lostUpdate",
              "shared x\nthread\n r0 = x\n x = r0 + 1\nthread\n r0 = x\n x = r0 + 1\nfinal x == 2\n"},
        Named{"checkThenAct", "shared x y\n"
                              "thread\n r0 = x\n if r0 == 0\n x = 1\n r1 = add y 1\n end\n"
                              "thread\n r0 = x\n if r0 == 0\n x = 1\n r1 = add y 1\n end\n"
                              "final y == 1\n"},
        Named{"assertionsRace", "shared x\n"
                                "thread\n r0 = add x 1\n assert r0 == 5\n"
                                "thread\n r0 = x\n assert r0 == 0\n"},
        Named{"exitRaces", "shared x\nthread\n x = 1\n exit 3\nthread\n r0 = x\n assert r0 == 0\n"},
        Named{"locksInBothOrders", "shared x\nmutex m n\n"
                                   "thread\n lock m\n lock n\n unlock n\n unlock m\n"
                                   "thread\n lock n\n lock m\n unlock m\n unlock n\n"},
        Named{"tryLock", "shared x\nmutex m\n"
                         "thread\n lock m\n unlock m\n"
                         "thread\n r0 = trylock m\n if r0 == 1\n x = 1\n unlock m\n else\n x = 2\n end\n"},
        Named{"lostSignal", "shared x\nmutex m\ncondition c\n"
                            "thread\n lock m\n wait c m\n unlock m\n"
                            "thread\n signal c\n"},
        Named{"oneSignalForTwo", "shared x a b\nmutex m\ncondition c\n"
                                 "thread\n lock m\n wait c m\n a = 1\n unlock m\n"
                                 "thread\n lock m\n wait c m\n b = 1\n unlock m\n"
                                 "thread\n lock m\n signal c\n unlock m\n"},
        Named{"oneSignalForBoth",
              "shared n a b\nmutex m\ncondition c\n"
              "thread\n lock m\n r0 = add n 1\n wait c m\n unlock m\n"
              "thread\n lock m\n r0 = add n 1\n wait c m\n unlock m\n"
              "thread\n lock m\n r0 = n\n if r0 == 2\n signal c\n else\n exit 1\n end\n unlock m\n"},
        Named{"lockedAgain", "shared x\nmutex m\n"
                             "thread\n lock m\n r0 = x\n if r0 == 1\n lock m\n end\n unlock m\nthread\n x = 1\n"},
        Named{"oneToken", "shared x y\nsemaphore s\n"
                          "thread\n post s\nthread\n r0 = trytake s\n r1 = trytake s\n x = r0\n y = r1\n"},
        Named{"broadcast", "shared x a b\nmutex m\ncondition c\n"
                           "thread\n lock m\n wait c m\n a = 1\n unlock m\n"
                           "thread\n lock m\n wait c m\n b = 1\n unlock m\n"
                           "thread\n broadcast c\n"},
        Named{"neverUnlocked", "shared x\nmutex m\ncondition c\n"
                               "thread\n lock m\n r0 = x\n if r0 == 0\n wait c m\n end\n unlock m\n"
                               "thread\n lock m\n x = 1\n signal c\n r0 = trylock m\n"
                               "final x == 1\n"
                               "thread\n lock m\n unlock m\n"},
        Named{"semaphores",
              "shared x\nsemaphore s=1\nthread\n take s\n x = 1\n post s\nthread\n take s\n x = 2\n"},
        Named{"triesOfOneToken", "shared x y\nsemaphore s=1\n"
                                 "thread\n r0 = trytake s\n x = r0\nthread\n r0 = trytake s\n y = r0\n"},
        Named{"replaceOnce", "shared x y z\n"
                             "thread\n r0 = replace x 0 1\n y = r0\nthread\n r0 = replace x 0 2\n z = r0\n"},
        Named{"boundedSpin", "shared x y\n"
                             "thread\n loop 2\n r0 = x\n leave r0 == 1\n end\n y = r0\nthread\n x = 1\n"}),
    [](const auto& param) { return std::string(param.param.name); });

// Whatever the schedule, the outcome is one of those that the interpreter lists.
TEST(RandomPrograms, DoNothingThatTheInterpreterDoesNotKnow) {
  std::mt19937 random(20);
  const size_t count = 15 * testing::testScale();
  size_t outcomes = 0, missed = 0;
  for (size_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const std::string text = randomProgram(random);
    const Possibilities possible = possibilitiesOf(text);
    outcomes += possible.outcomes.size();
    missed += unseen(text, possible, 10, i + 1, Until::end).size();
  }
  fmt::print("{} programs with {} outcomes, of which {} were not seen in 10 schedules each\n", count, outcomes,
             missed);
}

// Every outcome that the interpreter lists is one of the executable: along the schedule that the interpreter has
// for it, each operation comes as it should, and the run ends so.
TEST(RandomPrograms, EndAsTheInterpreterSaysAlongItsSchedules) {
  std::mt19937 random(22);
  size_t followed = 0;
  for (size_t i = 0; i < 30 * testing::testScale() && !::testing::Test::HasFailure(); ++i) {
    const std::string text = randomProgram(random);
    TinyExecutable executable(text);
    for (const auto& [outcome, steps] : possibilitiesOf(text).outcomes) {
      Result<TinyExecutable::Run> run = executable.follow(steps);
      ASSERT_TRUE(run) << run.error().message << "\n" << text;
      EXPECT_EQ(run->outcome.text, outcome.text) << toText(steps) << "\n" << text;
      ++followed;
    }
  }
  fmt::print("{} outcomes\n", followed);
}

// Not only one schedule for each outcome: all of them.
TEST(RandomPrograms, CanBeEnumeratedUnderControl) {
  std::mt19937 random(23);
  RandomProgramOptions options;
  options.mostInterleavings = 30;
  size_t followed = 0;
  for (size_t i = 0; i < 10 * testing::testScale() && !::testing::Test::HasFailure(); ++i) {
    const std::string text = randomProgram(random, options);
    const TinyProgram program = *parseTinyProgram(text);
    TinyExecutable executable(text);
    const Result<std::vector<Steps>> all = allInterleavings(program, options.mostInterleavings);
    ASSERT_TRUE(all) << all.error().message;
    for (const Steps& steps : *all) {
      Result<TinyExecutable::Run> run = executable.follow(steps);
      ASSERT_TRUE(run) << run.error().message << "\n" << text;
      EXPECT_EQ(run->outcome.text, (*runAlong(program, steps)).text) << toText(steps) << "\n" << text;
      ++followed;
    }
  }
  fmt::print("{} interleavings\n", followed);
}

// Where there are few interleavings, exploration comes along all of them sooner or later.
TEST(RandomPrograms, ShowAllOutcomesOfFewInterleavings) {
  std::mt19937 random(21);
  RandomProgramOptions options;
  options.mostThreads = 2;
  options.mostInterleavings = 40;
  for (size_t i = 0; i < 10 * testing::testScale(); ++i) {
    const std::string text = randomProgram(random, options);
    for (const std::string& outcome : unseen(text, possibilitiesOf(text), 1000, i + 1, Until::allSeen))
      ADD_FAILURE() << "not seen in 1000 schedules: " << outcome << "\n" << text;
  }
}

} // namespace
} // namespace symbiosis::reference
