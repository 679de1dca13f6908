#pragma once
// The order of events as SMT terms: one integer per event (§3.3, "order variables"), program order and
// must-edges required (φ_mo). Whatever the must-order decides is a constant and costs the solver nothing.
//
// Formulas use `before` positively only, never negated. So two events may share a number: whatever breaks the
// tie, every `before` that holds in the model holds in the schedule.
//
// Where the failure is that threads wait, a number says where the schedule ends: what has a larger one does not
// happen, and a pending event that happens is what it ends with.
#include "constraints/must_order.h"
#include "constraints/z3_session.h"

namespace symbiosis {

class OrderTerms {
public:
  OrderTerms(Z3Session& session, const SymbolicTrace& trace, const MustOrder& must,
             std::span<const OrderEdge> mustEdges);

  // a happens before b.
  z3::expr before(EventRef a, EventRef b);
  // The same without what the must-order knows.
  z3::expr compare(EventRef a, EventRef b) const { return numbers_[a] < numbers_[b]; }
  const MustOrder& must() const { return must_; }
  // Whether the event happens; always, unless the trace ends waiting.
  z3::expr happens(EventRef event);
  // The constraint holds if the event happens.
  void require(EventRef event, const z3::expr& constraint);
  EventOrder orderIn(const z3::model& model) const;

private:
  Z3Session& session_;
  const SymbolicTrace& trace_;
  const MustOrder& must_;
  std::vector<z3::expr> numbers_; // by event
  z3::expr end_;                  // of traces that end waiting
};

} // namespace symbiosis
