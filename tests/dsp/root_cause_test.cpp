#include "dsp/diagnosis.h"
#include "tests/dsp/example_traces.h"
#include <bit>
#include <gmock/gmock.h>
#include <set>

namespace symbiosis {

using ::testing::ElementsAre;
using testing::Example;

static RootCause rootCauseOf(const Example& example) {
  ScheduleSolver solver(example.trace);
  return findRootCause(example.trace, solver, example.failing);
}

TEST(RootCause, OfTheRunningExampleIsOneOrdering) {
  const Example example = testing::runningExample();
  const RootCause cause = rootCauseOf(example);
  EXPECT_EQ(cause.status, ProofStatus::proved);
  EXPECT_THAT(cause.orders,
              ElementsAre(OrderEdge{example.at(1, EventKind::write, 20), example.at(2, EventKind::read, 19)}));
}

// Every minimal cause, by trying all subsets of the candidate edges.
static std::set<std::vector<OrderEdge>> causesByEnumeration(const Example& example) {
  const std::vector<OrderEdge> edges = candidateEdges(example.trace, example.failing);
  ScheduleSolver solver(example.trace);
  std::vector<uint32_t> forcing; // sets of edges, as bits
  std::set<std::vector<OrderEdge>> causes;
  for (uint32_t size = 0; size <= edges.size(); ++size)
    for (uint32_t set = 0; set < 1u << edges.size(); ++set) {
      if (uint32_t(std::popcount(set)) != size) continue;
      if (std::any_of(forcing.begin(), forcing.end(), [&](uint32_t known) { return (known & set) == known; }))
        continue;
      std::vector<OrderEdge> chosen;
      for (size_t i = 0; i < edges.size(); ++i)
        if (set >> i & 1) chosen.push_back(edges[i]);
      if (solver.passing(chosen).answer != Answer::unsat) continue;
      forcing.push_back(set);
      std::sort(chosen.begin(), chosen.end());
      causes.insert(chosen);
    }
  return causes;
}

TEST(RootCause, AllOfThemAreFound) {
  for (const Example& example : {testing::bank(), testing::runningExample(), testing::alwaysFails()}) {
    ASSERT_LT(candidateEdges(example.trace, example.failing).size(), 14u);
    ScheduleSolver solver(example.trace);
    const RootCauses all = findRootCauses(example.trace, solver, example.failing, 1000);
    EXPECT_TRUE(all.complete);
    // An edge between critical sections may have been replaced by one between accesses; the number stays.
    const std::set<std::vector<OrderEdge>> expected = causesByEnumeration(example);
    EXPECT_LE(all.causes.size(), expected.size());
    EXPECT_GE(all.causes.size(), 1u);
    for (const RootCause& cause : all.causes) {
      EXPECT_EQ(cause.status, ProofStatus::proved);
      EXPECT_EQ(solver.passing(cause.orders).answer, Answer::unsat);
      const bool onlyAccesses = std::all_of(cause.orders.begin(), cause.orders.end(), [&](const OrderEdge& edge) {
        return isAccess(example.trace.event(edge.before).kind);
      });
      if (onlyAccesses) continue;
      std::vector<OrderEdge> sorted = cause.orders;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_TRUE(expected.count(sorted));
    }
    // The simplest first.
    for (size_t i = 1; i < all.causes.size(); ++i)
      EXPECT_LE(all.causes[i - 1].orders.size(), all.causes[i].orders.size());
  }
}

TEST(RootCause, IsEmptyIfEveryScheduleFails) {
  const RootCause cause = rootCauseOf(testing::alwaysFails());
  EXPECT_EQ(cause.status, ProofStatus::proved);
  EXPECT_TRUE(cause.orders.empty());
}

TEST(RootCause, IsOnlyTestedIfAnExternalMayHaveWritten) {
  Example example = testing::bank();
  example.trace.unmodelled = {"strange_library_call"};
  const RootCause cause = rootCauseOf(example);
  EXPECT_EQ(cause.status, ProofStatus::tested);
  EXPECT_THAT(cause.note, ::testing::HasSubstr("strange_library_call"));
}

} // namespace symbiosis
