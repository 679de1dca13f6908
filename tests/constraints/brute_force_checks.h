#pragma once
// What the solver says about a tiny trace against what all its interleavings say.
#include "all_interleavings.h"
#include <map>
#include <random>

namespace symbiosis::testing {

// What the traces were like: a property test of traces without properties proves nothing.
struct Seen {
  size_t traces = 0, failing = 0, both = 0, passingOnly = 0, infeasible = 0;
  size_t withCore = 0;    // a minimal core that is not empty; counted by every engine
  size_t leftThePath = 0; // failing schedules with a tail event that goes another way after the failure
  size_t provedRelaxed = 0, foundRelaxed = 0; // questions answered with a part of the trace left out
  std::map<std::string, size_t> kinds;        // of traces with a feasible interleaving: how many hold one of these
};

void count(const SymbolicTrace& trace, const std::vector<Interleaving>& all, Seen& seen);
// Every kind of sync operation, and what is special about some of them.
std::vector<std::string> kindsOfFailingTraces();
std::vector<std::string> kindsOfWaitingTraces();

// failing(), passing({}), the root cause of the failing schedule and an inverted edge. Fails the running test.
void checkEngines(const SymbolicTrace& trace, const std::vector<Interleaving>& all, const SolverOptions& options,
                  std::mt19937& random, Seen& seen);

// The forward search alone, of the whole and of a part, in every style, about edges taken from random
// interleavings: few schedules respect them, so that one which is skipped without reason is missed.
void checkSearches(const SymbolicTrace& trace, const std::vector<Interleaving>& all, std::mt19937& random,
                   size_t questions, Seen& seen);

} // namespace symbiosis::testing
