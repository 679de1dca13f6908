// The solver against brute force: on tiny traces every interleaving is enumerated and evaluated.
#include "all_interleavings.h"
#include "constraints/schedule_solver.h"
#include "random_trace.h"
#include "tests/support/scale.h"
#include "tests/trace_builder.h"
#include <algorithm>
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::allInterleavings;
using testing::Interleaving;
using testing::randomTrace;
using testing::TraceBuilder;

Outcome evaluate(const SymbolicTrace& trace, const EventOrder& order) {
  return Evaluator(trace).run(order).outcome;
}

bool existsWith(const std::vector<Interleaving>& all, Outcome outcome, std::span<const OrderEdge> edges = {}) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Interleaving& one) { return one.outcome == outcome && one.respects(edges); });
}

std::vector<OrderEdge> pick(std::span<const OrderEdge> edges, std::span<const size_t> positions) {
  std::vector<OrderEdge> picked;
  for (size_t position : positions) picked.push_back(edges[position]);
  return picked;
}

std::vector<OrderEdge> without(std::vector<OrderEdge> edges, size_t position) {
  edges.erase(edges.begin() + long(position));
  return edges;
}

// What the random traces were like: a property test of traces without properties proves nothing.
struct Seen {
  size_t traces = 0, failing = 0, both = 0, passingOnly = 0, infeasible = 0, withCore = 0;
  size_t leftThePath = 0; // failing schedules with a tail event that goes another way after the failure
};

bool hasConditionThatDoesNotHold(const SymbolicTrace& trace, const EventOrder& order) {
  Evaluator evaluator(trace);
  evaluator.run(order);
  return std::any_of(trace.conditions.begin(), trace.conditions.end(),
                     [&](const Condition& condition) { return evaluator.value(condition.expr) == 0; });
}

void checkAnswer(const SymbolicTrace& trace, const ScheduleAnswer& answer, bool exists, Outcome outcome) {
  ASSERT_EQ(answer.answer, exists ? Answer::sat : Answer::unsat) << answer.reason;
  if (!exists) return;
  ASSERT_EQ(evaluate(trace, answer.order), outcome);
}

void checkRootCause(const SymbolicTrace& trace, ScheduleSolver& solver, const std::vector<Interleaving>& all,
                    const EventOrder& failing, Seen& seen) {
  const std::vector<OrderEdge> edges = candidateEdges(trace, failing);
  const ScheduleAnswer root = solver.passing(edges);
  ASSERT_EQ(root.answer, Answer::unsat) << root.reason;
  ASSERT_FALSE(existsWith(all, Outcome::passing, pick(edges, root.core))) << "the core is not sufficient";
  const RootCauseCore cause = solver.minimalCore(edges);
  ASSERT_TRUE(cause.sufficient && cause.irreducible) << cause.reason;
  ASSERT_FALSE(existsWith(all, Outcome::passing, cause.edges)) << "the minimised core is not sufficient";
  for (size_t i = 0; i < cause.edges.size(); ++i)
    ASSERT_TRUE(existsWith(all, Outcome::passing, without(cause.edges, i))) << "the minimised core is reducible";
  seen.withCore += !cause.edges.empty();
}

// Φ_alt: some of the edges of a failing schedule, one of them inverted.
void checkInversions(const SymbolicTrace& trace, ScheduleSolver& solver, const std::vector<Interleaving>& all,
                     const EventOrder& failing, std::mt19937& random) {
  std::vector<OrderEdge> edges = candidateEdges(trace, failing);
  if (edges.empty()) return;
  std::shuffle(edges.begin(), edges.end(), random);
  edges.resize(1 + random() % edges.size());
  std::swap(edges[0].before, edges[0].after);
  checkAnswer(trace, solver.passing(edges), existsWith(all, Outcome::passing, edges), Outcome::passing);
}

void checkEngines(const SymbolicTrace& trace, const std::vector<Interleaving>& all, const SolverOptions& options,
                  std::mt19937& random, Seen& seen) {
  const bool fails = existsWith(all, Outcome::failing), passes = existsWith(all, Outcome::passing);
  ScheduleSolver solver(trace, options);
  const ScheduleAnswer failing = solver.failing();
  checkAnswer(trace, failing, fails, Outcome::failing);
  checkAnswer(trace, solver.passing({}), passes, Outcome::passing);
  if (::testing::Test::HasFatalFailure() || !fails) return;
  seen.leftThePath += hasConditionThatDoesNotHold(trace, failing.order);
  checkRootCause(trace, solver, all, failing.order, seen);
  checkInversions(trace, solver, all, failing.order, random);
}

void count(const std::vector<Interleaving>& all, Seen& seen) {
  const bool fails = existsWith(all, Outcome::failing), passes = existsWith(all, Outcome::passing);
  ++seen.traces;
  seen.failing += fails;
  seen.both += fails && passes;
  seen.passingOnly += passes && !fails;
  seen.infeasible += all.empty();
}

struct Setup {
  const char* name;
  SolverOptions options;
  unsigned firstSeed;
  testing::Sync sync = testing::Sync::mutexes;
};

void PrintTo(const Setup& setup, std::ostream* out) { *out << setup.name; }

class RandomTraces : public ::testing::TestWithParam<Setup> {};

TEST_P(RandomTraces, AgreeWithBruteForce) {
  const bool all = GetParam().sync == testing::Sync::all;
  const size_t kTraces = (all ? 800 : 500) * testing::testScale();
  Seen seen;
  const size_t kMostInterleavings = all ? 1500 : 4000;
  for (unsigned seed = GetParam().firstSeed; seen.traces < kTraces; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = randomTrace(random, all ? 7 : 8, GetParam().sync);
    const auto orders = allInterleavings(trace, kMostInterleavings);
    if (!orders) continue;
    count(*orders, seen);
    checkEngines(trace, *orders, GetParam().options, random, seen);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(seen.failing, kTraces / (all ? 8 : 4));
  EXPECT_GT(seen.withCore, kTraces / (all ? 120 : 12));
  EXPECT_GT(seen.passingOnly, kTraces / 100);
  EXPECT_GT(seen.infeasible, kTraces / 50);
  EXPECT_GE(seen.leftThePath, all ? 0 : kTraces / 100);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, RandomTraces,
    ::testing::Values(
        Setup{"all", {}, 100'000},
        Setup{"search", {.limits = {}, .encoding = {}, .engines = Engines::search}, 200'000},
        Setup{"solver", {.limits = {}, .encoding = {}, .engines = Engines::solver}, 300'000},
        Setup{"paper", {.limits = {}, .encoding = Encoding::paper, .engines = Engines::solver}, 600'000},
        Setup{"searchOfAllKinds",
              {.limits = {}, .encoding = {}, .engines = Engines::search},
              400'000,
              testing::Sync::all},
        Setup{"solverOfAllKinds",
              {.limits = {}, .encoding = {}, .engines = Engines::solver},
              500'000,
              testing::Sync::all}),
    [](const auto& setup) { return setup.param.name; });

// The paper's Figure 2: two consumers check `filled` and take later; the producer fills one slot.
struct RunningExample {
  RunningExample() {
    TraceBuilder b(3);
    b.variable("filled", 0);
    ExprPool& exprs = b.trace.exprs;
    auto isPositive = [&](ExprId value) { return exprs.binary(ExprOp::slt, b.constant(0), value); };
    b.start(0);
    b.fork(0, 1, 1);
    b.fork(0, 2, 1);
    b.lock(0, "m", 3);
    b.write(0, "filled", exprs.binary(ExprOp::add, b.read(0, "filled", 4), b.constant(1)), 5);
    b.unlock(0, "m", 6);
    for (ThreadIndex consumer : {1u, 2u}) {
      b.start(consumer);
      b.lock(consumer, "m", 9);
      b.condition(consumer, isPositive(b.read(consumer, "filled", 10)));
      b.unlock(consumer, "m", 11);
      b.lock(consumer, "m", 18);
      const ExprId filled = b.read(consumer, "filled", 19);
      if (consumer == 1) {
        b.condition(1, isPositive(filled));
        b.write(1, "filled", exprs.binary(ExprOp::sub, filled, b.constant(1)), 20);
        b.unlock(1, "m", 21);
        b.exit(1);
      } else {
        b.failure(2, {exprs.negate(isPositive(filled))}, 19, "filled > 0");
        b.unlock(2, "m", 20, true);
      }
    }
    trace = b.build();
  }
  EventRef event(ThreadIndex thread, uint32_t line, EventKind kind) const {
    for (EventRef ref = 0; ref < trace.events.size(); ++ref)
      if (trace.threadOf(ref) == thread && trace.event(ref).kind == kind &&
          trace.locations[trace.event(ref).location].line == line)
        return ref;
    return kNoEvent;
  }
  SymbolicTrace trace;
};

TEST(RunningExample, FailsOnlyIfTheOtherConsumerTakesInBetween) {
  const RunningExample example;
  ScheduleSolver solver(example.trace);
  const ScheduleAnswer failing = solver.failing();
  ASSERT_EQ(failing.answer, Answer::sat) << failing.reason;
  EXPECT_EQ(solver.passing({}).answer, Answer::sat);

  const std::vector<OrderEdge> edges = candidateEdges(example.trace, failing.order);
  const std::vector<OrderEdge> cause = solver.minimalCore(edges).edges;
  ASSERT_EQ(cause.size(), 1u);
  EXPECT_EQ(example.trace.threadOf(cause[0].before), 1u);
  EXPECT_EQ(example.trace.threadOf(cause[0].after), 2u);

  // The take after the check is the alternate.
  const OrderEdge alternate{example.event(2, 19, EventKind::read), example.event(1, 20, EventKind::write)};
  const ScheduleAnswer passing = solver.passing({&alternate, 1});
  ASSERT_EQ(passing.answer, Answer::sat) << passing.reason;
  EXPECT_EQ(evaluate(example.trace, passing.order), Outcome::passing);
  EXPECT_GT(solver.stats().searches, 3u);
}

TEST(CandidateEdges, LeaveOutWhatOthersImply) {
  TraceBuilder b(3);
  b.variable("x", 0);
  for (ThreadIndex thread : {0u, 1u, 2u}) b.start(thread);
  b.fork(0, 1, 1);
  b.fork(0, 2, 2);
  for (ThreadIndex thread : {0u, 1u, 2u}) b.write(thread, "x", b.constant(thread), 3);
  const SymbolicTrace trace = b.build();
  // T0: 0 start, 1 fork, 2 fork, 3 write; T1: 4 start, 5 write; T2: 6 start, 7 write
  const EventOrder order{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(candidateEdges(trace, order), ::testing::ElementsAre(OrderEdge{3, 5}, OrderEdge{5, 7}));
}

TEST(ScheduleSolver, SaysWhyNothingCanBeScheduled) {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0);
  b.failure(0, {}, 3);
  b.start(1); // by nobody
  const SymbolicTrace trace = b.build();
  ScheduleSolver solver(trace);
  const ScheduleAnswer answer = solver.failing();
  EXPECT_EQ(answer.answer, Answer::unsat);
  EXPECT_THAT(answer.reason, ::testing::HasSubstr("no event creates its thread"));
}

TEST(ScheduleSolver, AnUnconditionalFailureHasNoPassingSchedule) {
  TraceBuilder b(1);
  b.start(0);
  b.failure(0, {}, 3);
  const SymbolicTrace trace = b.build();
  ScheduleSolver solver(trace);
  EXPECT_EQ(solver.failing().answer, Answer::sat);
  EXPECT_EQ(solver.passing({}).answer, Answer::unsat);
}

} // namespace
} // namespace symbiosis
