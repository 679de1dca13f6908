// Everybody else first: the thread that is held (ControlConfig::held) goes on only when nobody else can, or when
// the others have gone on for so long that they may be waiting for it in a loop. From then on it is one of them,
// and the rest is a random walk. Behind a schedule this shows what the others would have done before the held
// thread's next step, had they had the time.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

constexpr uint64_t kLongEnough = 20000; // points of the others
bool isReleased = false;
uint64_t begin = ~uint64_t{0};

} // namespace

Turn holdBack(const Choices& choices, Random& random, const format::ControlConfig& config) {
  if (begin == ~uint64_t{0}) begin = choices.points;
  ThreadState* others[format::kMostControlledThreads];
  uint32_t count = 0;
  for (uint32_t i = 0; i < choices.count; ++i)
    if (choices.threads[i]->control.slot + 1 != config.held) others[count++] = choices.threads[i];
  isReleased = isReleased || count == 0 || choices.points - begin > kLongEnough;
  if (isReleased) return walkRandomly(choices, random, config.meanRun);
  return walkRandomly({others, count, choices.current, choices.points}, random, config.meanRun);
}

} // namespace symbiosis::runtime::strategies
