// The engines side by side: what only one of them can find, that they agree, and that they stop when asked to.
#include "all_interleavings.h"
#include "brute_force_checks.h"
#include "constraints/forward_search.h"
#include "constraints/hint_windows.h"
#include "constraints/race.h"
#include "constraints/schedule_formula.h"
#include "constraints/value_descent.h"
#include "lost_updates.h"
#include "random_trace.h"
#include "tests/support/scale.h"
#include <bit>
#include <gmock/gmock.h>
#include <thread>

namespace symbiosis {
namespace {

using testing::lostUpdates;

constexpr SolverLimits kPlenty{.seconds = 300, .memoryGb = 4};

Outcome evaluate(const SymbolicTrace& trace, const EventOrder& order) {
  return Evaluator(trace).run(order).outcome;
}

// 80 updates without a lock: almost all lost, half of them, one, none.
TEST(Engines, FindRacySchedulesByTheirValues) {
  for (uint32_t value : {2u, 33u, 79u, 80u}) {
    const SymbolicTrace trace = lostUpdates(2, 40, value);
    const ScheduleAnswer answer = ScheduleSolver(trace, kPlenty).failing();
    ASSERT_EQ(answer.answer, Answer::sat) << value << ' ' << answer.reason;
    EXPECT_EQ(evaluate(trace, answer.order), Outcome::failing);
  }
}

TEST(Engines, ProveThatUpdatesAreNotMadeTwice) {
  const SymbolicTrace trace = lostUpdates(2, 6, 13);
  for (Engines engines : {Engines::search, Engines::solver, Engines::all})
    EXPECT_EQ(ScheduleSolver(trace, {kPlenty, {}, engines}).failing().answer, Answer::unsat);
}

// The same of floats: the searches need no solver for them, and the formula no bit of their arithmetic.
TEST(Engines, ComputeWithFloats) {
  auto sum = [](int times) {
    float value = 0;
    for (int i = 0; i < times; ++i) value += 0.1f;
    return std::bit_cast<uint32_t>(value);
  };
  for (Engines engines : {Engines::search, Engines::solver, Engines::all}) {
    EXPECT_EQ(ScheduleSolver(lostUpdates(2, 4, sum(9), true), {kPlenty, {}, engines}).failing().answer,
              Answer::unsat);
    for (int value : {2, 5, 8}) {
      const SymbolicTrace trace = lostUpdates(2, 4, sum(value), true);
      const ScheduleAnswer answer = ScheduleSolver(trace, {kPlenty, {}, engines}).failing();
      ASSERT_EQ(answer.answer, Answer::sat) << value << ' ' << answer.reason;
      EXPECT_EQ(evaluate(trace, answer.order), Outcome::failing);
    }
  }
  const SymbolicTrace trace = lostUpdates(2, 3, sum(7), true);
  EXPECT_EQ(ScheduleSolver(trace, {kPlenty, Encoding::paper, Engines::solver}).failing().answer, Answer::unsat);
}

// What brute force cannot enumerate any more.
TEST(Engines, AgreeOnLargerTraces) {
  const size_t kTraces = 60 * testing::testScale();
  size_t sat = 0, unsat = 0;
  for (unsigned seed = 700'000; sat + unsat < kTraces; ++seed) {
    std::mt19937 random(seed);
    const auto sync = seed % 2 ? testing::Sync::all : testing::Sync::mutexes;
    const SymbolicTrace trace = testing::randomTrace(random, 22 + seed % 9, sync);
    const Answer search = ScheduleSolver(trace, {kPlenty, {}, Engines::search}).failing().answer;
    const Answer solver = ScheduleSolver(trace, {kPlenty, {}, Engines::solver}).failing().answer;
    ASSERT_NE(search, Answer::unknown) << "seed " << seed;
    ASSERT_EQ(search, solver) << "seed " << seed << "\n" << toText(trace);
    // The paper's formulas say the same of locks, thread creation, joins and accesses.
    if (sync == testing::Sync::mutexes && seed % 3 == 0) {
      ASSERT_EQ(ScheduleSolver(trace, {kPlenty, Encoding::paper, Engines::solver}).failing().answer, search)
          << "seed " << seed << "\n"
          << toText(trace);
    }
    (search == Answer::sat ? sat : unsat) += 1;
  }
  EXPECT_GT(sat, kTraces / 6);
  EXPECT_GT(unsat, kTraces / 6);
}

TEST(Engines, TheDescentRespectsEdgesAndGoal) {
  size_t found = 0, wanted = 0;
  for (unsigned seed = 0; wanted < 300; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random);
    const auto all = testing::allInterleavings(trace, 2000);
    if (!all || all->empty()) continue;
    const testing::Interleaving& one = (*all)[random() % all->size()];
    if (one.outcome == Outcome::failsEarly) continue;
    ++wanted;
    std::vector<OrderEdge> edges = candidateEdges(trace, one.order);
    edges.resize(edges.size() / 2);
    const Goal goal = one.outcome == Outcome::failing ? Goal::failing : Goal::passing;
    const CompiledTrace code(trace);
    const EventOrder order = ValueDescent(code).run(goal, edges, {}, 2e5, CallWatch(kPlenty));
    if (order.empty()) continue;
    ++found;
    ASSERT_EQ(evaluate(trace, order), one.outcome) << "seed " << seed;
    ASSERT_TRUE(respects(order, edges)) << "seed " << seed;
  }
  EXPECT_GT(found, wanted * 9 / 10);
}

// Coarse time stamps of a run give it back, and where they are wrong about near events the window widens.
TEST(Windows, HoldWhatTheHintsSayAboutDistantEvents) {
  SymbolicTrace trace = lostUpdates(2, 10, 15);
  std::mt19937 random(1);
  const EventOrder run = testing::randomInterleaving(trace, random);
  for (size_t i = 0; i < run.size(); ++i) trace.events[run[i]].timestamp = 1000 + i / 4 * 4;
  const std::vector<uint64_t> hints = hintsOf(trace);
  const std::vector<uint64_t> widths = windowWidths(hints);
  ASSERT_FALSE(widths.empty());
  for (uint64_t width : widths) EXPECT_TRUE(respects(run, windowEdges(trace, hints, width)));
  EXPECT_GT(windowEdges(trace, hints, widths.front()).size(), windowEdges(trace, hints, widths.back()).size());
}

// --- stopping ---

TEST(Race, TheFirstAnswerStopsTheOthers) {
  const CallWatch watch(kPlenty);
  bool wasStopped = false;
  const Entrant endless{[&](const CallWatch& own) -> ScheduleAnswer {
                          while (!own.expired()) std::this_thread::yield();
                          wasStopped = own.isStopped();
                          throw LimitReached{own.reason()};
                        },
                        [] { return std::string("running for ever"); }};
  const Entrant quick{[](const CallWatch&) {
                        return ScheduleAnswer{.answer = Answer::unsat, .order = {}, .core = {7}, .reason = {}};
                      },
                      [] { return std::string("knowing it"); }};
  for (const std::vector<Entrant>& entrants : {std::vector{endless, quick}, std::vector{quick, endless}}) {
    wasStopped = false;
    const ScheduleAnswer answer = race(entrants, watch);
    EXPECT_EQ(answer.answer, Answer::unsat);
    EXPECT_THAT(answer.core, ::testing::ElementsAre(7));
    EXPECT_TRUE(wasStopped);
  }
  EXPECT_FALSE(watch.expired()) << "the race is stopped, not the question";
}

TEST(Race, UnknownSaysWhatWasTried) {
  auto givesUp = [](const char* what) {
    return Entrant{[](const CallWatch&) {
                     return ScheduleAnswer{
                         .answer = Answer::unknown, .order = {}, .core = {}, .reason = "no idea"};
                   },
                   [what] { return std::string(what); }};
  };
  const ScheduleAnswer answer = race({givesUp("thinking"), givesUp("guessing")}, CallWatch(kPlenty));
  EXPECT_EQ(answer.answer, Answer::unknown);
  EXPECT_EQ(answer.reason, "no idea; tried: thinking, guessing");
}

// Everything that may run long asks the watch: who has been stopped before it begins gets nowhere.
TEST(Race, EveryEngineAsksTheWatch) {
  const SymbolicTrace trace = lostUpdates(3, 12, 1);
  const CompiledTrace code(trace);
  const CallWatch watch = CallWatch(kPlenty).stoppable();
  watch.stop();
  EXPECT_THROW(ForwardSearch(code).run({}, watch), LimitReached);
  EXPECT_THROW(ValueDescent(code).run(Goal::failing, {}, {}, 1e18, watch), LimitReached);
  EXPECT_THROW(ScheduleFormula(trace, {}, watch), LimitReached);
  ScheduleFormula formula(trace, {}, CallWatch(kPlenty));
  EXPECT_THROW(formula.check(Goal::failing, {}, watch), LimitReached);
}

// Z3 in the middle of its work: stopped again and again, it still gives the right answers afterwards.
TEST(Race, AStoppedFormulaStaysUsable) {
  const SymbolicTrace hard = lostUpdates(2, 14, 29);
  ScheduleFormula formula(hard, {}, CallWatch(kPlenty));
  for (int i = 0; i < 3; ++i) {
    const CallWatch watch = CallWatch(kPlenty).stoppable();
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      watch.stop();
    });
    try {
      EXPECT_NE(formula.check(Goal::failing, {}, watch), z3::sat);
    } catch (const LimitReached&) {
    }
    stopper.join();
  }
  ASSERT_EQ(formula.check(Goal::passing, {}, CallWatch(kPlenty)), z3::sat);
  EXPECT_EQ(evaluate(hard, formula.order()), Outcome::passing);
}

} // namespace
} // namespace symbiosis
