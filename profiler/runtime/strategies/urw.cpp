// Uniform random walk: Zhao, Wolff, Mathur, Roychoudhury: "Selectively uniform concurrency testing", ASPLOS 2025,
// algorithm 1. The next operation is that of a thread that is chosen with a probability in proportion to how many
// operations it still has to make, its future children's included: so many of the interleavings go on with it.
// Without locks and waits every interleaving is then equally likely. How many a thread makes is known from
// calibration runs; who makes more than that counts as if one were left.
//
// Where we depart: only operations at places that were seen to be contended are counted and chosen among; what
// nobody else can notice is done at once. In some runs none are named, and all count.
#include "profiler/runtime/strategies/strategy.h"

namespace symbiosis::runtime::strategies {

Turn urw(const Choices& choices, Random& random, const format::ControlConfig&) {
  if (ThreadState* thread = unnoticed(choices)) return {thread, 1};
  const uint32_t chosen =
      drawByRemaining(choices.threads, choices.count, &format::ThreadExpectation::contended, random);
  ++choices.threads[chosen]->control.walked;
  return {choices.threads[chosen], 1};
}

} // namespace symbiosis::runtime::strategies
