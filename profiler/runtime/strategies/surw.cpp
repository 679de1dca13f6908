// Selectively uniform random walk: Zhao, Wolff, Mathur, Roychoudhury: "Selectively uniform concurrency testing",
// ASPLOS 2025, algorithm 2. Of the operations some are selected; in which order the threads make these is to be
// uniform, as with urw, whatever else they do. So the thread that makes the next selected one is chosen
// beforehand, with a probability in proportion to how many it still has to make, and the others are kept from
// theirs until then. All else is a plain random walk.
//
// Selected are the places at which one variable, or several at the same places, is accessed; the launcher takes
// another for each run. Where we depart: what nobody else can notice is done at once; and where the chosen thread
// waits for one that is kept, perhaps in a loop, another is chosen.
#include "profiler/runtime/control/control.h"
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {
namespace {

const ThreadState* intended = nullptr; // who makes the next selected operation
uint32_t since = 0;                    // choices since it was chosen
constexpr uint32_t kPatience = 1000;   // choices

bool isKept(const ThreadState& thread) { return &thread != intended && isSelected(thread); }

const ThreadState* anyOf(ThreadState* const* threads, uint32_t count, Random& random) {
  return threads[drawByRemaining(threads, count, &format::ThreadExpectation::selected, random)];
}

} // namespace

Turn surw(const Choices& choices, Random& random, const format::ControlConfig&) {
  if (ThreadState* thread = unnoticed(choices)) return {thread, 1};
  if (!intended || intended->control.phase == control::Phase::finished || ++since > kPatience) {
    intended = anyOf(control::live, control::liveCount, random);
    since = 0;
  }
  static ThreadState* free[format::kMostControlledThreads]; // too large for a small stack
  uint32_t count = 0;
  for (uint32_t i = 0; i < choices.count; ++i)
    if (!isKept(*choices.threads[i])) free[count++] = choices.threads[i];
  if (count == 0) {
    intended = anyOf(choices.threads, choices.count, random);
    free[count++] = const_cast<ThreadState*>(intended);
  }
  ThreadState* chosen = free[random.below(count)];
  if (isSelected(*chosen)) {
    ++chosen->control.walked;
    intended = nullptr;
  }
  return {chosen, 1};
}

} // namespace symbiosis::runtime::strategies
