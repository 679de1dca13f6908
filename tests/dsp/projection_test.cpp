#include "dsp/diagnosis.h"
#include "tests/dsp/example_traces.h"
#include <gmock/gmock.h>

namespace symbiosis {

using ::testing::ElementsAre;
using testing::Example;
using ::testing::IsEmpty;
using testing::TraceBuilder;

static Dsp dspOf(const Example& example) {
  ScheduleSolver solver(example.trace);
  const RootCause cause = findRootCause(example.trace, solver, example.failing);
  const Alternate alternate = findAlternate(example.trace, solver, example.failing, cause);
  EXPECT_EQ(alternate.status, AlternateStatus::found);
  return project(example.trace, example.failing, alternate.order, alternate.inverted);
}

TEST(Projection, OfTheRunningExampleIsTheVariationOfFigure3) {
  const Example example = testing::runningExample();
  const Dsp dsp = dspOf(example);
  const EventRef read = example.at(2, EventKind::read, 19), taken = example.at(1, EventKind::write, 20),
                 added = example.at(0, EventKind::write, 4), failure = example.trace.failure.event;
  EXPECT_THAT(dsp.failingDataflows, ElementsAre(Dataflow{taken, read, 0, 0, 32}));
  EXPECT_THAT(dsp.alternateDataflows, ElementsAre(Dataflow{added, read, 0, 1, 32}));
  EXPECT_THAT(dsp.failingEvents, ElementsAre(added, taken, read, failure));
  EXPECT_THAT(dsp.alternateEvents, ::testing::UnorderedElementsAre(added, taken, read, failure));
}

// The check reads the same write with another value: that is a consequence, and the one changed read its cause.
TEST(Projection, OfTheBankShowsTheReadThatCameTooEarly) {
  const Example example = testing::bank();
  const Dsp dsp = dspOf(example);
  const EventRef early = example.at(1, EventKind::read, 4), check = example.at(0, EventKind::read, 13);
  ASSERT_EQ(dsp.failingDataflows.size(), 1u);
  ASSERT_EQ(dsp.alternateDataflows.size(), 1u);
  EXPECT_EQ(dsp.failingDataflows.front().to, early);
  EXPECT_EQ(dsp.failingDataflows.front().value, 0u);
  EXPECT_EQ(dsp.alternateDataflows.front().value, 10u);
  EXPECT_THAT(dsp.failingEvents, ::testing::Contains(check));
  EXPECT_LE(dsp.failingEvents.size(), 5u);
}

TEST(Projection, OfAScheduleWithItselfIsEmpty) {
  for (const Example& example : {testing::runningExample(), testing::bank(), testing::twoVariables()}) {
    const Dsp dsp = project(example.trace, example.failing, example.failing);
    EXPECT_THAT(dsp.failingEvents, IsEmpty());
    EXPECT_THAT(dsp.alternateEvents, IsEmpty());
    EXPECT_THAT(dsp.failingDataflows, IsEmpty());
    EXPECT_THAT(dsp.alternateDataflows, IsEmpty());
  }
}

TEST(Projection, DropsVariationsThatCannotReachTheCheck) {
  TraceBuilder b(2);
  b.variable("x", 0), b.variable("log", 0);
  b.start(0), b.fork(0, 1, 1), b.write(0, "x", b.constant(1), 2), b.write(0, "log", b.constant(1), 3);
  b.start(1);
  const ExprId x = b.read(1, "x", 10);
  b.read(1, "log", 11);
  b.failure(1, {b.trace.exprs.binary(ExprOp::eq, x, b.constant(1))}, 12);
  const SymbolicTrace trace = b.build();
  const Dsp dsp = project(trace, testing::interleave(trace, {{0, 4}, {1, 4}}),
                          testing::interleave(trace, {{0, 2}, {1, 4}, {0, 2}}));
  ASSERT_EQ(dsp.failingDataflows.size(), 1u);
  EXPECT_EQ(trace.event(dsp.failingDataflows[0].to).variable, "x");
  EXPECT_EQ(dsp.alternateDataflows[0].from, kNoEvent) << "the initial value";
}

TEST(Projection, CountsAnotherFinalValueAsAVariation) {
  TraceBuilder b(2);
  b.variable("x", 0);
  b.start(0), b.fork(0, 1, 1), b.write(0, "x", b.constant(1), 2);
  b.start(1), b.write(1, "x", b.constant(2), 10), b.failure(1, {}, 11);
  const SymbolicTrace trace = b.build();
  const Dsp dsp = project(trace, testing::interleave(trace, {{0, 3}, {1, 3}}),
                          testing::interleave(trace, {{0, 2}, {1, 3}, {0, 1}}));
  EXPECT_THAT(dsp.failingDataflows, ElementsAre(Dataflow{4, kNoEvent, 0, 2, 32}));
  EXPECT_THAT(dsp.alternateDataflows, ElementsAre(Dataflow{2, kNoEvent, 0, 1, 32}));
  EXPECT_THAT(dsp.failingEvents, ElementsAre(2u, 4u, 5u));
}

TEST(Projection, WithoutAnAlternateShowsWhereTheCheckedValueCameFrom) {
  const Example example = testing::alwaysFails();
  const Dsp dsp = projectFailing(example.trace, example.failing, {});
  EXPECT_EQ(dsp.failingDataflows.size(), 1u);
  EXPECT_EQ(dsp.failingEvents.size(), 3u);
  EXPECT_THAT(dsp.alternateEvents, IsEmpty());
}

TEST(Dataflows, ListEveryReadInOrder) {
  const Example example = testing::bank();
  const std::vector<Dataflow> flows = dataflows(example.trace, example.failing);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].to, example.at(1, EventKind::read, 4));
  EXPECT_EQ(flows[2].to, example.at(0, EventKind::read, 13));
  EXPECT_EQ(flows[2].value, 10u);
}

} // namespace symbiosis
