// Random walk: at each choice any of the threads that can go on, all equally likely (the baseline of Thomson,
// Donaldson, Betts: "Concurrency testing using schedule bounding", 2014). Where we depart: between two choices a
// thread passes a geometrically distributed number of points, `meanRun` on average; 1 is the walk of the paper,
// and most bugs need fewer switches than that makes.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {

Turn walkRandomly(const Choices& choices, Random& random, uint32_t meanRun) {
  ThreadState* chosen = choices.threads[random.below(choices.count)];
  uint64_t points = 1;
  while (meanRun > 1 && random.below(meanRun) != 0) ++points;
  return {chosen, points};
}

Turn randomWalk(const Choices& choices, Random& random, const format::ControlConfig& config) {
  return walkRandomly(choices, random, config.meanRun);
}

} // namespace symbiosis::runtime::strategies
