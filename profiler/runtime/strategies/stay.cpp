// The current thread as long as it can go on, then the oldest. With a schedule in front it is what completes a run
// in which nobody was interrupted any more.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {

Turn stay(const Choices& choices, Random&, const format::ControlConfig&) {
  return {choices.current ? choices.current : choices.threads[0], ~uint64_t{0}};
}

} // namespace symbiosis::runtime::strategies
