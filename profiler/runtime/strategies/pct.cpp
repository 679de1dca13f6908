// Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with
// probabilistic guarantees of finding bugs", ASPLOS 2010. Each thread has a random priority and the highest that
// can goes on; at depth - 1 points, chosen beforehand among the expected ones, the running thread falls below all
// others. A bug that needs `depth` orderings is found with probability at least 1 / (n * k^(depth - 1)). Where we
// depart: a thread that runs very long without a change falls too, because it may be waiting in a loop for
// somebody else.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

constexpr uint32_t kMostChanges = 16;
constexpr uint64_t kPatience = 20000; // points
uint64_t changes[kMostChanges] = {};  // ascending; the next one is the first above `points`
uint32_t changeCount = 0, changesMade = 0;
uint64_t lowest = uint64_t{1} << 32; // falls with each change; first priorities lie above it
bool planned = false;
ThreadState* lastThread = nullptr;
uint64_t lastSwitch = 0;

void planChanges(Random& random, const format::ControlConfig& config) {
  planned = true;
  changeCount = config.depth > kMostChanges ? kMostChanges : config.depth ? config.depth - 1 : 0;
  for (uint32_t i = 0; i < changeCount; ++i) {
    const uint64_t point = 1 + random.below(config.expectedPoints ? config.expectedPoints : 1000);
    uint32_t at = i;
    for (; at > 0 && changes[at - 1] > point; --at) changes[at] = changes[at - 1];
    changes[at] = point;
  }
}

ThreadState* highest(const Choices& choices, Random& random) {
  ThreadState* best = nullptr;
  for (uint32_t i = 0; i < choices.count; ++i) {
    control::ControlledThread& control = choices.threads[i]->control;
    if (!control.priority) control.priority = (uint64_t{1} << 32) + 1 + random.below(uint64_t{1} << 32);
    if (!best || control.priority > best->control.priority) best = choices.threads[i];
  }
  return best;
}

} // namespace

Turn pct(const Choices& choices, Random& random, const format::ControlConfig& config) {
  const uint64_t points = choices.points;
  if (!planned) planChanges(random, config);
  ThreadState* best = highest(choices, random);
  const bool due = changesMade < changeCount && points >= changes[changesMade];
  const bool tired = best == lastThread && points - lastSwitch > kPatience;
  if (due || tired) {
    best->control.priority = --lowest;
    if (due) ++changesMade;
    best = highest(choices, random);
  }
  if (best != lastThread || tired) lastSwitch = points;
  lastThread = best;
  uint64_t run = kPatience;
  if (changesMade < changeCount && changes[changesMade] - points < run) run = changes[changesMade] - points;
  return {best, run ? run : 1};
}

} // namespace symbiosis::runtime::strategies
