// The current thread as long as it can go on, then the next one in order of creation; but who has passed very many
// points while others could go on may be waiting for them in a loop, and gives way. With turns in front it
// completes a run in which nobody is preempted any more (Tinertia §4.2.1, "No Bug").
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

constexpr uint64_t kPatience = 2000; // points
const ThreadState* current = nullptr;
uint64_t spent = 0; // points that `current` has been given in a row

// The first that was created after `thread`, or the first of all.
ThreadState* nextAfter(const Choices& choices, const ThreadState& thread) {
  for (uint32_t i = 0; i < choices.count; ++i)
    if (choices.threads[i]->serial > thread.serial) return choices.threads[i];
  return choices.threads[0];
}

} // namespace

Turn fair(const Choices& choices, Random&, const format::ControlConfig&) {
  constexpr uint64_t kPoints = 100;
  ThreadState* next = choices.current ? choices.current : choices.threads[0];
  if (!choices.current && current) next = nextAfter(choices, *current);
  if (next == current && spent > kPatience && choices.count > 1) next = nextAfter(choices, *next);
  spent = next == current ? spent + kPoints : 0;
  current = next;
  return {next, kPoints};
}

} // namespace symbiosis::runtime::strategies
