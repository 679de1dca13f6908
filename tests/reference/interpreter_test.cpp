// The reference interpreter against outcomes and counts that were worked out by hand.
#include "tests/reference/interpreter.h"
#include "tests/reference/random_program.h"
#include "tests/support/scale.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace symbiosis::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Possibilities possibilitiesOf(const std::string& text, InterpreterOptions options = {}) {
  Result<TinyProgram> program = parseTinyProgram(text);
  EXPECT_TRUE(program) << program.error().message;
  if (!program) return {};
  Result<Possibilities> found = interleave(*program, options);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : Possibilities{};
}

std::vector<std::string> outcomes(const std::string& text, InterpreterOptions options = {}) {
  std::vector<std::string> texts;
  for (const auto& [outcome, steps] : possibilitiesOf(text, options).outcomes) texts.push_back(outcome.text);
  return texts;
}

TEST(Interpreter, IndependentThreadsInterleaveFreely) {
  const Possibilities found = possibilitiesOf("shared x y\n"
                                              "thread\n x = 1\n x = 2\n x = 3\n"
                                              "thread\n y = 1\n y = 2\n y = 3\n");
  EXPECT_EQ(found.interleavings, 20u); // 6 over 3
  ASSERT_EQ(found.outcomes.size(), 1u);
  EXPECT_EQ(found.outcomes.begin()->first.text, "ends x=3 y=3");
}

TEST(Interpreter, CountsInterleavingsOfThreeThreads) {
  EXPECT_EQ(possibilitiesOf("shared x\nthread\n x = 1\n x = 1\nthread\n x = 1\n x = 1\nthread\n x = 1\n x = 1\n")
                .interleavings,
            90u); // 6! / 2!³
}

const std::string kIncrement = "thread\n r0 = x\n x = r0 + 1\n";

TEST(Interpreter, UpdatesGetLost) {
  const Possibilities found = possibilitiesOf("shared x\n" + kIncrement + kIncrement + "final x == 2\n");
  EXPECT_EQ(found.interleavings, 6u);
  EXPECT_EQ(outcomes("shared x\n" + kIncrement + kIncrement), (std::vector<std::string>{"ends x=1", "ends x=2"}));
  EXPECT_THAT(outcomes("shared x\n" + kIncrement + kIncrement + "final x == 2\n"),
              UnorderedElementsAre("ends x=2", "fails at line 8"));
  EXPECT_TRUE(found.canPass() && found.canFail());
}

TEST(Interpreter, LocksKeepUpdates) {
  const std::string locked = "thread\n lock m\n r0 = x\n x = r0 + 1\n unlock m\n";
  const Possibilities found = possibilitiesOf("shared x\nmutex m\n" + locked + locked);
  EXPECT_EQ(found.interleavings, 2u);
  EXPECT_THAT(outcomes("shared x\nmutex m\n" + locked + locked), ElementsAre("ends x=2"));
}

TEST(Interpreter, AtomicUpdatesAreOneStep) {
  EXPECT_THAT(outcomes("shared x\nthread\n r0 = add x 1\nthread\n r0 = add x 1\nthread\n r0 = add x 1\n"),
              ElementsAre("ends x=3"));
  // Exactly one of both replaces the 0.
  EXPECT_THAT(
      outcomes("shared x y z\nthread\n r0 = replace x 0 1\n y = r0\nthread\n r0 = replace x 0 2\n z = r0\n"),
      UnorderedElementsAre("ends x=1 y=1 z=0", "ends x=2 y=0 z=1"));
  EXPECT_THAT(
      outcomes("shared x=5 y z\nthread\n r0 = exchange x 6\n y = r0\nthread\n r0 = exchange x 7\n z = r0\n"),
      UnorderedElementsAre("ends x=7 y=5 z=6", "ends x=6 y=7 z=5"));
}

TEST(Interpreter, BothSidesOfStoreBufferingAreNeverZero) {
  EXPECT_THAT(outcomes("shared x y a b\nthread\n x = 1\n r0 = y\n a = r0\nthread\n y = 1\n r0 = x\n b = r0\n"),
              UnorderedElementsAre("ends x=1 y=1 a=0 b=1", "ends x=1 y=1 a=1 b=0", "ends x=1 y=1 a=1 b=1"));
}

TEST(Interpreter, LocksInBothOrdersDeadlock) {
  const std::string text = "shared x\nmutex m n\n"
                           "thread\n lock m\n lock n\n unlock n\n unlock m\n"
                           "thread\n lock n\n lock m\n unlock m\n unlock n\n";
  EXPECT_THAT(outcomes(text), UnorderedElementsAre("ends x=0", "deadlock: T1 lock, T2 lock"));
  // Both take their first lock, in one of two orders, and nobody goes on; or one of both takes both locks, and the
  // other begins when the second of them has been released, or when both have.
  EXPECT_EQ(possibilitiesOf(text).interleavings, 2u + 2u * 2u);
}

TEST(Interpreter, AMutexIsNotRecursive) {
  EXPECT_THAT(outcomes("shared x\nmutex m\nthread\n lock m\n lock m\n"), ElementsAre("deadlock: T1 lock"));
}

TEST(Interpreter, ATryHasTwoOutcomes) {
  EXPECT_THAT(outcomes("shared x\nmutex m\n"
                       "thread\n lock m\n unlock m\n"
                       "thread\n r0 = trylock m\n if r0 == 1\n x = 1\n unlock m\n else\n x = 2\n end\n"),
              UnorderedElementsAre("ends x=1", "ends x=2"));
}

TEST(Interpreter, ASignalWithoutAWaiterIsLost) {
  const std::string text = "shared x\nmutex m\ncondition c\n"
                           "thread\n lock m\n wait c m\n unlock m\n"
                           "thread\n signal c\n";
  EXPECT_THAT(outcomes(text), UnorderedElementsAre("ends x=0", "deadlock: T1 wait"));
  // T1's wait may end by itself, if that is asked for; or it may not.
  EXPECT_THAT(outcomes(text, {.spuriousWakes = true}), UnorderedElementsAre("ends x=0", "deadlock: T1 wait"));
}

TEST(Interpreter, APredicateUnderTheLockLosesNothing) {
  EXPECT_THAT(outcomes("shared x\nmutex m\ncondition c\n"
                       "thread\n lock m\n loop 2\n r0 = x\n leave r0 == 1\n wait c m\n end\n unlock m\n"
                       "thread\n lock m\n x = 1\n signal c\n unlock m\n"),
              ElementsAre("ends x=1"));
}

const std::string kTwoWaiters = "shared x a b\nmutex m\ncondition c\n"
                                "thread\n lock m\n wait c m\n a = 1\n unlock m\n"
                                "thread\n lock m\n wait c m\n b = 1\n unlock m\n";

TEST(Interpreter, ASignalWakesAnyWaiterAndABroadcastAll) {
  EXPECT_THAT(outcomes(kTwoWaiters + "thread\n lock m\n signal c\n unlock m\n"),
              UnorderedElementsAre("deadlock: T1 wait", "deadlock: T2 wait", "deadlock: T1 wait, T2 wait"));
  EXPECT_THAT(outcomes(kTwoWaiters + "thread\n lock m\n broadcast c\n unlock m\n"),
              UnorderedElementsAre("ends x=0 a=1 b=1", "deadlock: T1 wait", "deadlock: T2 wait",
                                   "deadlock: T1 wait, T2 wait"));
}

TEST(Interpreter, ASignalMayWakeWhoeverWaits) {
  // Signalled only when both wait: either of them is woken.
  EXPECT_THAT(outcomes("shared n a b\nmutex m\ncondition c\n"
                       "thread\n lock m\n r0 = add n 1\n wait c m\n unlock m\n"
                       "thread\n lock m\n r0 = add n 1\n wait c m\n unlock m\n"
                       "thread\n lock m\n r0 = n\n if r0 == 2\n signal c\n else\n exit 1\n end\n unlock m\n"),
              UnorderedElementsAre("exit 1", "deadlock: T1 wait", "deadlock: T2 wait"));
}

TEST(Interpreter, WhoIsWokenNeedsTheMutexAgain) {
  EXPECT_THAT(outcomes("shared x\nmutex m\ncondition c\n"
                       "thread\n lock m\n wait c m\n unlock m\n"
                       "thread\n lock m\n x = 1\n signal c\n"), // and never unlocks
              UnorderedElementsAre("deadlock: T1 lock"));
}

TEST(Interpreter, SemaphoresCountTokens) {
  EXPECT_THAT(outcomes("shared x\nsemaphore s=1\nthread\n take s\n x = 1\n post s\nthread\n take s\n x = 2\n"),
              UnorderedElementsAre("ends x=2", "deadlock: T1 take"));
}

TEST(Interpreter, APostIsOneToken) {
  EXPECT_THAT(outcomes("shared x\nsemaphore s\nthread\n post s\nthread\n take s\n take s\n"),
              ElementsAre("deadlock: T2 take"));
}

TEST(Interpreter, SemaphoreTries) {
  EXPECT_THAT(
      outcomes("shared x y\nsemaphore s=1\nthread\n r0 = trytake s\n x = r0\nthread\n r0 = trytake s\n y = r0\n"),
      UnorderedElementsAre("ends x=0 y=1", "ends x=1 y=0"));
}

TEST(Interpreter, SomebodyElseMayEndTheProcessBeforeAFailingThreadDoes) {
  // T1 fails in every schedule; T2 can fail only after T1's update, and be faster.
  EXPECT_THAT(outcomes("shared x\n"
                       "thread\n r0 = add x 1\n assert r0 == 5\n"
                       "thread\n r0 = x\n assert r0 == 0\n"),
              UnorderedElementsAre("fails at line 4", "fails at line 7"));
  EXPECT_THAT(outcomes("shared x\nthread\n exit 3\nthread\n r0 = x\n assert r0 == 1\n"),
              UnorderedElementsAre("exit 3", "fails at line 6"));
}

TEST(Interpreter, LoopsEndAndAreLeft) {
  EXPECT_THAT(
      outcomes("shared x y\nthread\n loop 3\n r0 = x\n leave r0 == 1\n y = r0 + 7\n r1 = y\n y = r1 + 1\n end\n"
               "thread\n x = 1\n"),
      UnorderedElementsAre("ends x=1 y=0", "ends x=1 y=8"));
}

TEST(Interpreter, WhatIsUndefinedIsSaid) {
  EXPECT_THAT(outcomes("shared x\nmutex m\nthread\n unlock m\n"), ElementsAre("undefined at line 4"));
  EXPECT_THAT(outcomes("shared x\nmutex m\ncondition c\nthread\n wait c m\n"), ElementsAre("undefined at line 5"));
  EXPECT_THAT(outcomes("shared x\nthread\n exit 1\nthread\n x = 1\n exit 2\n"),
              UnorderedElementsAre("exit 1", "undefined at line 3", "undefined at line 6"));
}

TEST(Interpreter, CountsPaths) {
  const InterpreterOptions paths = {.countPaths = true};
  const std::string check = "thread\n r0 = x\n if r0 == 0\n x = 1\n r1 = add y 1\n end\n";
  // Both find 0; only the first does; only the second does.
  EXPECT_EQ(possibilitiesOf("shared x y\n" + check + check, paths).paths, 3u);
  // The final check divides the first of them from the others, in which it holds; it adds no path of its own.
  EXPECT_EQ(possibilitiesOf("shared x y\n" + check + check + "final y == 1\n", paths).paths, 3u);
  // T1 fails, wherever T2 is then: one path; or it does not.
  EXPECT_EQ(possibilitiesOf(
                "shared x\nthread\n r0 = x\n assert r0 == 0\nthread\n x = 1\n r0 = x\n if r0 == 1\n end\n", paths)
                .paths,
            2u);
}

TEST(Interpreter, SaysThatThereAreTooMany) {
  Result<TinyProgram> program = parseTinyProgram("shared x\n" + kIncrement + kIncrement);
  ASSERT_TRUE(program);
  EXPECT_FALSE(interleave(*program, {.limit = 5}));
  EXPECT_TRUE(interleave(*program, {.limit = 6}));
}

TEST(TinyProgram, ErrorsNameTheLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"shared x\n", "no thread"},
      {"thread\n r0 = 1\n lock m\n", "line 3: 'm' is not declared as what it is used for"},
      {"thread\n if r0 == 1\n", "'end' is missing"},
      {"thread\n loop 9\n end\n", "line 2: 'loop' needs a number from 1 to 3"},
      {"thread\n leave r0 == 1\n", "line 2: 'leave' outside of a loop"},
      {"thread\n if 1 == r0\n end\n", "line 2: a condition is a register, a comparison and a value"},
      {"thread\n jump 3\n", "line 2: not a statement: 'jump'"},
      {"shared x\nthread\n x = r9\n", "line 3: neither a register nor a small number: 'r9'"},
      {"threads\n", "line 1: not a declaration, 'thread' or 'final': 'threads'"}};
  for (const auto& [text, message] : wrong) {
    Result<TinyProgram> program = parseTinyProgram(text);
    ASSERT_FALSE(program) << text;
    EXPECT_THAT(program.error().message, ::testing::HasSubstr(message)) << text;
  }
}

// Every witness leads where it should; and the generator makes the kinds of programs that it is there for.
TEST(RandomPrograms, HaveWitnessesForTheirOutcomes) {
  std::mt19937 random(1);
  const size_t count = 300 * testing::testScale();
  size_t mixed = 0, deadlocks = 0, branching = 0, most = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = randomProgram(random);
    Result<TinyProgram> program = parseTinyProgram(text);
    ASSERT_TRUE(program) << program.error().message << "\n" << text;
    Result<Possibilities> found = interleave(*program, {.countPaths = true});
    ASSERT_TRUE(found) << found.error().message << "\n" << text;
    for (const auto& [outcome, steps] : found->outcomes) {
      Result<Outcome> again = runAlong(*program, steps);
      ASSERT_TRUE(again) << again.error().message << "\n" << text;
      EXPECT_EQ(again->text, outcome.text) << text << toText(steps);
      EXPECT_NE(outcome.kind, OutcomeKind::undefined) << text;
    }
    mixed += found->canPass() && found->canFail();
    branching += found->paths > 1;
    most = std::max<size_t>(most, found->interleavings);
    for (const auto& [outcome, steps] : found->outcomes)
      if (outcome.kind == OutcomeKind::deadlock) {
        ++deadlocks;
        break;
      }
  }
  fmt::print("{} programs: {} with schedule-dependent paths, {} that some but not all schedules fail, {} that can "
             "deadlock, at most {} interleavings\n",
             count, branching, mixed, deadlocks, most);
  EXPECT_GT(branching * 3, count);
  EXPECT_GT(mixed * 3, count);
  EXPECT_GT(deadlocks * 20, count);
}

// The count and the outcomes are those of all interleavings, each gone through by itself.
TEST(RandomPrograms, HaveTheOutcomesOfAllTheirInterleavings) {
  std::mt19937 random(2);
  RandomProgramOptions options;
  options.mostInterleavings = 2000;
  for (size_t i = 0; i < 50 * testing::testScale(); ++i) {
    const std::string text = randomProgram(random, options);
    const TinyProgram program = *parseTinyProgram(text);
    const Possibilities possible = possibilitiesOf(text);
    Result<std::vector<Steps>> all = allInterleavings(program, options.mostInterleavings);
    ASSERT_TRUE(all) << all.error().message << "\n" << text;
    EXPECT_EQ(possible.interleavings, all->size()) << text;
    std::set<std::string> outcomesOfAll, listed;
    for (const Steps& steps : *all) outcomesOfAll.insert((*runAlong(program, steps)).text);
    for (const auto& [outcome, steps] : possible.outcomes) listed.insert(outcome.text);
    EXPECT_EQ(outcomesOfAll, listed) << text;
  }
}

TEST(RandomPrograms, AreTheSameForASeed) {
  std::mt19937 one(7), other(7);
  EXPECT_EQ(randomProgram(one), randomProgram(other));
}

} // namespace
} // namespace symbiosis::reference
