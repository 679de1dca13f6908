#pragma once
// What the solver says about a tiny trace against what all its interleavings say.
#include "all_interleavings.h"
#include <random>

namespace symbiosis::testing {

// What the traces were like: a property test of traces without properties proves nothing.
struct Seen {
  size_t traces = 0, failing = 0, both = 0, passingOnly = 0, infeasible = 0;
  size_t withCore = 0;    // a minimal core that is not empty; counted by every engine
  size_t leftThePath = 0; // failing schedules with a tail event that goes another way after the failure
};

void count(const std::vector<Interleaving>& all, Seen& seen);

// failing(), passing({}), the root cause of the failing schedule and an inverted edge. Fails the running test.
void checkEngines(const SymbolicTrace& trace, const std::vector<Interleaving>& all, const SolverOptions& options,
                  std::mt19937& random, Seen& seen);

// The forward search alone, in every style, about edges taken from random interleavings: few schedules respect
// them, so that one which is skipped without reason is missed.
void checkSearches(const SymbolicTrace& trace, const std::vector<Interleaving>& all, std::mt19937& random,
                   size_t questions);

} // namespace symbiosis::testing
