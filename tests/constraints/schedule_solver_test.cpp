// The solver against brute force: on tiny traces every interleaving is enumerated and evaluated.
#include "brute_force_checks.h"
#include "constraints/schedule_formula.h"
#include "constraints/schedule_solver.h"
#include "disciplined_trace.h"
#include "dsp/diagnosis.h"
#include "random_trace.h"
#include "tests/support/scale.h"
#include "tests/trace_builder.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::allInterleavings;
using testing::randomTrace;
using testing::Seen;
using testing::TraceBuilder;

Outcome evaluate(const SymbolicTrace& trace, const EventOrder& order) {
  return Evaluator(trace).run(order).outcome;
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
  const bool searches = GetParam().options.engines == Engines::search;
  const size_t kTraces = (all ? 800 : 500) * testing::testScale();
  Seen seen;
  const size_t kMostInterleavings = all ? 1500 : 4000, kQuestions = 8;
  for (unsigned seed = GetParam().firstSeed; seen.traces < kTraces; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = randomTrace(random, all ? 7 : 8, GetParam().sync);
    const auto orders = allInterleavings(trace, kMostInterleavings);
    if (!orders) continue;
    count(trace, *orders, seen);
    if (searches) testing::checkSearches(trace, *orders, random, kQuestions, seen);
    if (!HasFatalFailure()) checkEngines(trace, *orders, GetParam().options, random, seen);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(seen.failing, kTraces / (all ? 8 : 4));
  EXPECT_GT(seen.withCore, kTraces / (all ? 200 : 15));
  EXPECT_GT(seen.passingOnly, kTraces / 100);
  EXPECT_GT(seen.infeasible, kTraces / 50);
  EXPECT_GE(seen.leftThePath, all ? 0 : kTraces / 100);
  EXPECT_GE(seen.provedRelaxed, searches ? kTraces : 0);
  EXPECT_GE(seen.foundRelaxed, searches ? kTraces / 2 : 0);
  for (const std::string& kind : all ? testing::kindsOfFailingTraces() : std::vector<std::string>{})
    EXPECT_GE(seen.kinds[kind], kTraces / 300) << kind;
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

// Every engine on the same traces, one kind of program after the other.
class DisciplinedTraces : public ::testing::TestWithParam<testing::Discipline> {};

TEST_P(DisciplinedTraces, AgreeWithBruteForce) {
  const size_t kTraces = 300 * testing::testScale(), kMostInterleavings = 1500, kQuestions = 24;
  constexpr Engines kEngines[] = {Engines::search, Engines::solver, Engines::all};
  Seen seen;
  for (unsigned seed = 1'000'000 * (1 + unsigned(GetParam())); seen.traces < kTraces; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::disciplinedTrace(random, GetParam());
    const auto orders = allInterleavings(trace, kMostInterleavings);
    if (!orders) continue;
    count(trace, *orders, seen);
    testing::checkSearches(trace, *orders, random, kQuestions, seen);
    for (Engines engines : kEngines)
      if (!HasFatalFailure())
        checkEngines(trace, *orders, {.limits = {}, .encoding = {}, .engines = engines}, random, seen);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(seen.failing, kTraces / 5);
  EXPECT_GT(seen.both, kTraces / 25);
  EXPECT_GT(seen.passingOnly, kTraces / 6);
  EXPECT_GT(seen.infeasible, kTraces / 25);
  EXPECT_GT(seen.withCore, std::size(kEngines) * kTraces / 25);
  EXPECT_GT(seen.provedRelaxed, kTraces);
  EXPECT_GT(seen.foundRelaxed, kTraces);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DisciplinedTraces, ::testing::ValuesIn(testing::kDisciplines),
                         [](const auto& kind) { return std::string(testing::toText(kind.param)); });

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

  const std::vector<OrderEdge> cause = findRootCause(example.trace, solver, failing.order).orders;
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

// A signal that comes too early is lost, and the one who waits then waits for ever: every thread stands where it
// stands after a signal in time, but what can follow differs.
TEST(ForwardSearch, TellsALostSignalFromOneInTime) {
  TraceBuilder b(3);
  b.variable("x", 0);
  b.variable("y", 0);
  b.cell("c", 0, 1, 0);
  b.start(0);
  b.fork(0, 1, 1);
  b.fork(0, 2, 2);
  b.access(0, EventKind::signal, "c", {}, 3);
  b.write(0, "x", b.constant(1), 4);
  const ExprId last = b.read(0, "x", 5);
  b.failure(0, {b.trace.exprs.binary(ExprOp::eq, last, b.constant(2))}, 6);
  b.start(1);
  b.lock(1, "m", 11);
  b.access(1, EventKind::waitBegin, "c", {}, 12);
  b.access(1, EventKind::wake, "c", {}, 12);
  b.lock(1, "m", 12);
  b.write(1, "y", b.constant(1), 13);
  b.unlock(1, "m", 14);
  b.start(2);
  b.write(2, "x", b.constant(2), 21);
  b.condition(2, b.trace.exprs.binary(ExprOp::eq, b.read(2, "y", 22), b.constant(1)));
  b.access(2, EventKind::signal, "c", {}, 23); // too late for anybody
  SymbolicTrace trace = b.build();
  uint32_t mutex = kNone;
  for (Event& event : trace.events) {
    if (event.kind == EventKind::lock) mutex = event.object;
    if (event.kind == EventKind::waitBegin) event.mutex = mutex;
  }
  for (Engines engines : {Engines::search, Engines::solver}) {
    const ScheduleAnswer answer = ScheduleSolver(trace, {{}, {}, engines}).failing();
    ASSERT_EQ(answer.answer, Answer::sat) << answer.reason;
    EXPECT_EQ(evaluate(trace, answer.order), Outcome::failing);
  }
}

// Where §3.3 says something else about signals than pthreads do. Locks, creation, joins and accesses: no
// difference (RandomTraces, AgreeOnLargerTraces).
struct SignalDifference {
  // The main thread signals once, before it creates the waiter or afterwards.
  explicit SignalDifference(bool signalsEarly, bool wakesAlone) {
    TraceBuilder b(2);
    b.cell("c", 0, 1, 0);
    b.start(0);
    if (!signalsEarly) b.fork(0, 1, 2);
    b.access(0, EventKind::signal, "c", {}, 3);
    if (signalsEarly) b.fork(0, 1, 4);
    b.join(0, 1, 5);
    b.failure(0, {}, 6);
    b.start(1);
    b.lock(1, "m", 11);
    b.access(1, EventKind::waitBegin, "c", {}, 12);
    b.access(1, EventKind::wake, "c", {}, 12);
    b.lock(1, "m", 12);
    b.unlock(1, "m", 13);
    b.exit(1);
    trace = b.build();
    for (Event& event : trace.events) {
      if (event.kind == EventKind::lock) mutex_ = event.object;
      if (event.kind == EventKind::wake && wakesAlone) event.outcome = 110;
    }
    for (Event& event : trace.events)
      if (event.kind == EventKind::waitBegin) event.mutex = mutex_;
  }
  Answer by(Encoding encoding) const {
    ScheduleFormula formula(trace, {.encoding = encoding, .orders = OrderAs::integers}, CallWatch(SolverLimits{}));
    return formula.check(Goal::failing, edges, CallWatch(SolverLimits{})) == z3::sat ? Answer::sat : Answer::unsat;
  }
  EventRef find(EventKind kind) const {
    EventRef ref = 0;
    while (trace.event(ref).kind != kind) ++ref;
    return ref;
  }
  SymbolicTrace trace;
  std::vector<OrderEdge> edges;

private:
  uint32_t mutex_ = kNone;
};

TEST(PapersEncoding, TakesASignalThatCameTooEarly) {
  const SignalDifference early(true, false);
  EXPECT_EQ(early.by(Encoding::paper), Answer::sat);
  EXPECT_EQ(early.by(Encoding::order), Answer::unsat) << "nobody waited: the signal is lost";
  // A schedule that cannot happen is never given out.
  const ScheduleAnswer answer = ScheduleSolver(early.trace, {{}, Encoding::paper, Engines::solver}).failing();
  EXPECT_EQ(answer.answer, Answer::unknown);
  EXPECT_THAT(answer.reason, ::testing::HasSubstr("no signal has reached it"));
  const SignalDifference inTime(false, false);
  EXPECT_EQ(inTime.by(Encoding::paper), Answer::sat);
  EXPECT_EQ(inTime.by(Encoding::order), Answer::sat);
}

TEST(PapersEncoding, LetsASignalReachNobodyWhileSomebodyWaits) {
  SignalDifference alone(false, true);
  // The signal comes while the thread waits, which then wakes by its time limit.
  alone.edges = {{alone.trace.threads[1].firstEvent + 2, alone.find(EventKind::signal)},
                 {alone.find(EventKind::signal), alone.find(EventKind::wake)}};
  ASSERT_EQ(alone.trace.event(alone.edges[0].before).kind, EventKind::waitBegin);
  EXPECT_EQ(alone.by(Encoding::paper), Answer::sat);
  EXPECT_EQ(alone.by(Encoding::order), Answer::unsat);
}

// Rounds of two among three threads, of which the last comes twice: the others must not meet each other.
TEST(ForwardSearch, ChoosesWhoMeetsAtABarrier) {
  TraceBuilder b(4);
  b.cell("barrier", 0, 1, 0);
  b.start(0);
  for (ThreadIndex thread : {1u, 2u, 3u}) b.fork(0, thread, thread);
  b.failure(0, {}, 4);
  for (ThreadIndex thread : {1u, 2u, 3u}) {
    b.start(thread);
    for (ThreadIndex visit = 0; visit < (thread == 3 ? 2 : 1); ++visit) {
      b.access(thread, EventKind::barrierArrive, "barrier", {}, 10);
      b.access(thread, EventKind::barrierLeave, "barrier", {}, 10);
    }
  }
  SymbolicTrace trace = b.build();
  for (Event& event : trace.events)
    if (event.kind == EventKind::barrierArrive) event.outcome = 2;
  ScheduleSolver solver(trace, {{}, {}, Engines::search});
  EXPECT_EQ(solver.failing().answer, Answer::sat);
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
