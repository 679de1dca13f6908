#pragma once
// Brute force: every feasible interleaving of a tiny trace, by the evaluator alone.
#include "constraints/schedule_solver.h"
#include "trace/evaluator.h"
#include <optional>
#include <random>

namespace symbiosis::testing {

struct Interleaving {
  EventOrder order;
  std::vector<uint8_t> position; // of each event in the order
  Outcome outcome = Outcome::infeasible;

  bool respects(std::span<const OrderEdge> edges) const;
};

// Nothing if there are more than `most`, or far more beginnings that lead nowhere.
std::optional<std::vector<Interleaving>> allInterleavings(const SymbolicTrace& trace, size_t most);

// One feasible interleaving, by a random walk; empty if the walk ended in a dead end.
EventOrder randomInterleaving(const SymbolicTrace& trace, std::mt19937& random);

} // namespace symbiosis::testing
