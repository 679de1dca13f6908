// Over random tiny traces: the root cause is sufficient and irreducible, every alternate passes, a proved
// absence is one, and the projection says only what is true of both schedules.
#include "dsp/diagnosis.h"
#include "dsp/wording.h"
#include "tests/dsp/random_traces.h"
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace symbiosis {

using testing::Example;

static void checkRootCause(const Example& example, ScheduleSolver& solver, const RootCause& cause) {
  EXPECT_EQ(cause.status, ProofStatus::proved) << cause.note;
  EXPECT_EQ(solver.passing(cause.orders).answer, Answer::unsat) << "not sufficient";
  for (size_t i = 0; i < cause.orders.size(); ++i) {
    std::vector<OrderEdge> fewer = cause.orders;
    fewer.erase(fewer.begin() + ptrdiff_t(i));
    EXPECT_EQ(solver.passing(fewer).answer, Answer::sat)
        << "reducible: " << example.trace.describe(cause.orders[i].before);
  }
}

static bool contains(const std::vector<Dataflow>& flows, const Dataflow& flow) {
  return std::any_of(flows.begin(), flows.end(), [&](const Dataflow& other) {
    return other.from == flow.from && other.to == flow.to && other.cell == flow.cell;
  });
}

static void checkProjection(const Example& example, const EventOrder& alternate, const Dsp& dsp) {
  const std::vector<Dataflow> failingFlows = dataflows(example.trace, example.failing),
                              alternateFlows = dataflows(example.trace, alternate);
  EXPECT_FALSE(dsp.failingDataflows.empty());
  EXPECT_EQ(dsp.failingDataflows.size(), dsp.alternateDataflows.size());
  for (const Dataflow& flow : dsp.failingDataflows) {
    if (flow.to == kNoEvent) continue;
    EXPECT_TRUE(contains(failingFlows, flow));
    EXPECT_FALSE(contains(alternateFlows, flow));
  }
  for (const Dataflow& flow : dsp.alternateDataflows) {
    if (flow.to == kNoEvent) continue;
    EXPECT_TRUE(contains(alternateFlows, flow));
    EXPECT_FALSE(contains(failingFlows, flow));
  }
  EXPECT_TRUE(std::is_permutation(dsp.failingEvents.begin(), dsp.failingEvents.end(), dsp.alternateEvents.begin(),
                                  dsp.alternateEvents.end()));
  EXPECT_TRUE(project(example.trace, alternate, alternate).failingEvents.empty());
}

TEST(DiagnosisProperty, HoldsOnRandomTinyTraces) {
  size_t traces = 0, inversions = 0, searches = 0, none = 0;
  std::array<size_t, size_t(BugClass::other) + 1> classes{};
  for (uint32_t seed = 1; traces < 2000; ++seed) {
    const std::optional<Example> example = testing::RandomTrace(seed).make();
    if (!example) continue;
    ++traces;
    SCOPED_TRACE(seed);
    ScheduleSolver solver(example->trace);
    const RootCause cause = findRootCause(example->trace, solver, example->failing);
    checkRootCause(*example, solver, cause);
    const Alternate alternate = findAlternate(example->trace, solver, example->failing, cause);
    const bool exists = solver.passing({}).answer == Answer::sat;
    EXPECT_EQ(alternate.status, exists ? AlternateStatus::found : AlternateStatus::noneProved);
    const Dsp dsp = project(example->trace, example->failing, cause, alternate);
    if (exists) {
      ++(alternate.method == AlternateMethod::inversion ? inversions : searches);
      EXPECT_EQ(Evaluator(example->trace).run(alternate.order).outcome, Outcome::passing);
      checkProjection(*example, alternate.order, dsp);
    } else {
      ++none;
    }
    const Classification c = classify(example->trace, example->failing, cause, alternate, dsp);
    ++classes[size_t(c.bugClass)];
    EXPECT_FALSE(c.headline.empty());
    EXPECT_LE(characters(c.headline), 115u) << c.headline;
    if (::testing::Test::HasFailure()) FAIL() << toText(example->trace);
  }
  EXPECT_GT(inversions, 400u) << "the dice must show each case";
  EXPECT_GT(searches, 50u);
  EXPECT_GT(none, 400u);
  for (BugClass c : {BugClass::atomicityViolation, BugClass::lostUpdate, BugClass::orderViolation})
    EXPECT_GT(classes[size_t(c)], 20u) << toText(c);
}

} // namespace symbiosis
