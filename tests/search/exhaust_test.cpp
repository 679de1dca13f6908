// All paths of tiny programs against all that they can do, by a reference that shares nothing with the product.
//
// Rules that were broken by hand, one at a time, and which of the tests noticed it:
//   one question per decision, however far the others are           verdict, states
//   a question belongs to any other path, not to the lowest         verdict, states
//   paths agree on one deciding event more than they do             verdict, states
//   the main thread (the final checks) decides nothing              verdict, states
//   only the first path is asked                                    verdict, states
//   tries end in one way                                            verdict, states
//   nobody is asked whether all can wait; or the answer is "no"     verdict
//   who waits at a condition variable does not wait                 verdict, waits
//   nobody wakes by itself                                          waits
//   every loop is idle                                              waits
//   the first answer to a question is enough                        every progress
#include "search/exhaust.h"
#include "support/files.h"
#include "tests/reference/executable.h"
#include "tests/reference/random_program.h"
#include "tests/support/scale.h"
#include <gmock/gmock.h>
#include <regex>
#include <set>

namespace symbiosis {
namespace {

using reference::OutcomeKind;

struct Explored {
  Exhausted result;
  std::set<std::string> outcomes; // of its executions, in the interpreter's words
};

Explored exploreAll(const LaunchOptions& launch, const ExhaustOptions& options) {
  Result<PathRuns> runs = PathRuns::make({.launch = launch, .name = "tiny_runner"});
  EXPECT_TRUE(runs) << runs.error().message;
  Explored explored;
  auto note = [&](const ControlReport& report) {
    const Result<std::string> output = readFile(launch.outputFile);
    explored.outcomes.insert(reference::outcomeOf(report, output ? *output : "").text);
  };
  ExhaustObserver observer;
  observer.progress = [&](const Exhausted& now) { note(now.paths.back()->report); };
  observer.failed = [&](const ExecutedRun& run, size_t) -> Result<void> {
    return note(run.report), Result<void>();
  };
  Result<Exhausted> result = exhaust(*runs, options, observer);
  EXPECT_TRUE(result) << result.error().message;
  if (result) explored.result = std::move(*result);
  return explored;
}

ExhaustOptions optionsFor(bool wakesAlone) {
  ExhaustOptions options;
  options.wakesAlone = wakesAlone;
  return options;
}

std::string openTexts(const Exhausted& result) {
  std::string text;
  for (const auto& [reason, count] : result.open) text += reason + "\n";
  return text;
}

reference::Possibilities possibilities(const std::string& text, bool wakesAlone) {
  Result<reference::Possibilities> all = reference::interleave(
      *reference::parseTinyProgram(text), {.spuriousWakes = wakesAlone, .countPaths = true, .limit = 3'000'000});
  return all ? *all : reference::Possibilities{};
}

// A failure is found exactly if some schedule fails; otherwise everything is asked, and there is no other answer.
void expectVerdict(const std::string& text, bool wakesAlone) {
  const reference::Possibilities all = possibilities(text, wakesAlone);
  if (all.outcomes.empty()) return; // too many
  const reference::TinyExecutable program(text);
  const Explored explored = exploreAll(program.launchOptions(), optionsFor(wakesAlone));
  EXPECT_EQ(explored.result.end == PathEnd::failure, all.canFail()) << text << openTexts(explored.result);
  if (all.canFail()) return;
  EXPECT_TRUE(explored.result.isComplete()) << text << openTexts(explored.result);
  if (wakesAlone) return; // wakes are no paths of its
  EXPECT_LE(explored.result.executions, 2 * all.paths) << text;
}

// Without its checks a program ends in every way that the interpreter knows, and in no other.
void expectStates(const std::string& checked, bool wakesAlone) {
  const std::string text = std::regex_replace(checked, std::regex("\n *(assert|final)[^\n]*"), "");
  const reference::Possibilities all = possibilities(text, wakesAlone);
  if (all.outcomes.empty() || all.canFail()) return;
  const reference::TinyExecutable program(text);
  const Explored explored = exploreAll(program.decidingStates(), optionsFor(wakesAlone));
  std::set<std::string> expected;
  for (const auto& [outcome, steps] : all.outcomes) expected.insert(outcome.text);
  EXPECT_EQ(explored.outcomes, expected) << text << openTexts(explored.result);
  EXPECT_TRUE(explored.result.isComplete()) << text << openTexts(explored.result);
}

TEST(Exhaust, FindsAFailureOfATinyProgramExactlyIfThereIsOne) {
  std::mt19937 random(21);
  for (size_t i = 0; i < 300 * testing::testScale() && !HasFailure(); ++i)
    expectVerdict(
        reference::randomProgram(random, {.mostThreads = 2 + unsigned(i % 2), .mostInterleavings = 20'000}),
        i % 3 == 0);
}

TEST(Exhaust, ComesToEveryFinalStateOfATinyProgram) {
  std::mt19937 random(12);
  for (size_t i = 0; i < 150 * testing::testScale() && !HasFailure(); ++i)
    expectStates(
        reference::randomProgram(random, {.mostThreads = 2 + unsigned(i % 2), .mostInterleavings = 20'000}),
        i % 3 == 0);
}

// What random programs rarely depend on, each with and without wakes that no signal ends.
TEST(Exhaust, AgreesOnProgramsThatWait) {
  const char* const programs[] = {
      // Whoever comes back must look again.
      "shared x\nmutex m\ncondition c\nthread\n  lock m\n  r0 = x\n  if r0 == 0\n    wait c m\n  end\n  r0 = x\n"
      "  assert r0 == 1\n  unlock m\nthread\n  lock m\n  x = 1\n  signal c\n  unlock m\n",
      // Two looks are not enough if both waits may end by themselves.
      "shared x\nmutex m\ncondition c\nthread\n  lock m\n  loop 2\n    r0 = x\n    leave r0 == 1\n    wait c m\n  "
      "end\n"
      "  r0 = x\n  assert r0 == 1\n  unlock m\nthread\n  lock m\n  x = 1\n  signal c\n  unlock m\n",
      // Of two who wait one is woken, and either may be the one.
      "shared x\nmutex m\ncondition c\nthread\n  lock m\n  wait c m\n  x = 1\n  signal c\n  unlock m\nthread\n  "
      "lock m\n"
      "  wait c m\n  r0 = x\n  assert r0 == 1\n  signal c\n  unlock m\nthread\n  lock m\n  signal c\n  unlock m\n",
      // The signal may come too early.
      "shared x\nmutex m\ncondition c\nthread\n  lock m\n  wait c m\n  unlock m\nthread\n  lock m\n  signal c\n"
      "  unlock m\n"};
  for (const char* program : programs)
    for (bool wakesAlone : {false, true}) expectVerdict(program, wakesAlone);
}

// One thread's decision is turned, with the other one before its own decision and behind it: both must be asked,
// because from neither of the two paths the other one can be reached.
TEST(Exhaust, ADecisionIsTurnedAtEveryProgressOfTheOthers) {
  const std::string seller =
      "thread\n  lock m\n  r0 = x\n  if r0 == 1\n    y = 1\n    r1 = add z 2\n  end\n  unlock m\n";
  const std::string other =
      "thread\n  lock m\n  x = 1\n  unlock m\n  lock m\n  r0 = y\n  if r0 == VALUE\n    r1 = add z 1\n"
      "  end\n  unlock m\n";
  for (const char* value : {"0", "1"})
    for (bool swapped : {false, true}) {
      const std::string second = std::regex_replace(other, std::regex("VALUE"), value);
      const std::string threads = swapped ? second + seller : seller + second;
      expectStates("shared x y z\nmutex m\n" + threads, false);
    }
}

} // namespace
} // namespace symbiosis
