// Context-switch reduction against the exhaustive optimum on tiny traces.
#include "all_interleavings.h"
#include "constraints/schedule_solver.h"
#include "random_trace.h"
#include <gmock/gmock.h>

namespace symbiosis {
namespace {

using testing::allInterleavings;
using testing::Interleaving;

size_t fewestSwitches(const SymbolicTrace& trace, const std::vector<Interleaving>& all, Outcome outcome) {
  size_t fewest = SIZE_MAX;
  for (const Interleaving& one : all)
    if (one.outcome == outcome) fewest = std::min(fewest, contextSwitches(trace, one.order));
  return fewest;
}

TEST(ContextSwitches, NearTheOptimumOnTinyTraces) {
  constexpr size_t kSchedules = 900, kMostInterleavings = 4000;
  size_t schedules = 0, before = 0, reduced = 0, optimum = 0;
  for (unsigned seed = 0; schedules < kSchedules; ++seed) {
    std::mt19937 random(seed);
    const SymbolicTrace trace = testing::randomTrace(random);
    const auto all = allInterleavings(trace, kMostInterleavings);
    if (!all || all->empty()) continue;
    const Interleaving& some = (*all)[random() % all->size()];
    const EventOrder result = reduceContextSwitches(trace, some.order);
    ASSERT_EQ(Evaluator(trace).run(result).outcome, some.outcome) << "seed " << seed;
    ASSERT_LE(contextSwitches(trace, result), contextSwitches(trace, some.order)) << "seed " << seed;
    ++schedules;
    before += contextSwitches(trace, some.order);
    reduced += contextSwitches(trace, result);
    optimum += fewestSwitches(trace, *all, some.outcome);
  }
  EXPECT_LE(double(reduced), 1.02 * double(optimum)) << "from " << before;
}

} // namespace
} // namespace symbiosis
