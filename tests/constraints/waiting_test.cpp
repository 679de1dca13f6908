// Deadlocks and hangs: the searches and Z3 against every interleaving of tiny traces that end waiting.
#include "brute_force_checks.h"
#include "random_trace.h"
#include "tests/support/scale.h"
#include "tests/trace_builder.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::Seen;
using testing::TraceBuilder;

struct Setup {
  const char* name;
  testing::Sync sync;
  unsigned firstSeed;
};
void PrintTo(const Setup& setup, std::ostream* out) { *out << setup.name; }

class WaitingTraces : public ::testing::TestWithParam<Setup> {};

TEST_P(WaitingTraces, AgreeWithBruteForce) {
  const size_t kTraces = 400 * testing::testScale(), kMostInterleavings = 1500, kQuestions = 12;
  const SolverOptions kEngines[] = {{.limits = {}, .encoding = {}, .engines = Engines::search},
                                    {.limits = {}, .encoding = {}, .engines = Engines::solver},
                                    {.limits = {}, .encoding = Encoding::paper, .engines = Engines::solver},
                                    {}};
  Seen seen;
  for (unsigned seed = GetParam().firstSeed; seen.traces < kTraces; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random, 6, GetParam().sync, testing::Ends::waiting);
    const auto orders = testing::allInterleavings(trace, kMostInterleavings);
    if (!orders || orders->empty()) continue;
    count(trace, *orders, seen);
    testing::checkSearches(trace, *orders, random, kQuestions, seen);
    if (!HasFatalFailure())
      checkEngines(trace, *orders, kEngines[seen.traces % std::size(kEngines)], random, seen);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << "\n" << toText(trace);
  }
  EXPECT_GT(seen.failing, kTraces / 10);
  EXPECT_GT(seen.both, kTraces / 20);
  EXPECT_GT(seen.passingOnly, kTraces / 10);
  EXPECT_GT(seen.withCore, kTraces / 20);
  if (GetParam().sync != testing::Sync::all) return;
  for (const std::string& kind : testing::kindsOfWaitingTraces())
    EXPECT_GE(seen.kinds[kind], kTraces / 80) << kind;
}

INSTANTIATE_TEST_SUITE_P(Kinds, WaitingTraces,
                         ::testing::Values(Setup{"mutexes", testing::Sync::mutexes, 10'000},
                                           Setup{"all", testing::Sync::all, 20'000}),
                         [](const auto& setup) { return setup.param.name; });

} // namespace
} // namespace symbiosis
