#pragma once
// The order that every feasible schedule has: program order and the must-edges of the synchronisation, closed
// under transitivity.
#include "constraints/schedule_solver.h"
#include "constraints/vector_clocks.h"

namespace symbiosis {

class MustOrder {
public:
  MustOrder(const SymbolicTrace& trace, std::span<const OrderEdge> must);

  bool before(EventRef a, EventRef b) const { return clocks_.precedes(a, b); }
  // False: the edges contradict each other, and nothing can be scheduled.
  bool isAcyclic() const { return acyclic_; }

private:
  VectorClocks clocks_;
  bool acyclic_ = true;
};

} // namespace symbiosis
