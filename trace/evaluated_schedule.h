#pragma once
// A schedule together with what it does: its order, where each event stands in it, and the values and dataflows
// that the evaluator found by running it. Who compares two schedules or shows one takes this, and need not know
// how a schedule is run.
#include "trace/evaluator.h"

namespace symbiosis {

class EvaluatedSchedule {
public:
  EvaluatedSchedule(const SymbolicTrace& trace, EventOrder order)
      : trace_(trace), order_(std::move(order)), positions_(positionsOf(trace, order_)), evaluator_(trace),
        outcome_(evaluator_.run(order_).outcome) {}
  EvaluatedSchedule(const EvaluatedSchedule&) = delete;
  EvaluatedSchedule& operator=(const EvaluatedSchedule&) = delete;

  const SymbolicTrace& trace() const { return trace_; }
  const EventOrder& order() const { return order_; }
  Outcome outcome() const { return outcome_; }
  bool isFeasible() const { return outcome_ != Outcome::infeasible; }

  // Where the event stands; kNone: the order does not have it.
  uint32_t position(EventRef event) const { return positions_[event]; }
  const std::vector<uint32_t>& positions() const { return positions_; } // by event
  bool isBefore(EventRef a, EventRef b) const { return positions_[a] < positions_[b]; }
  // Whether the event is part of what is looked at (trace/trace_end.h). Of an infeasible schedule nothing is.
  bool happened(EventRef event) const { return isFeasible() && evaluator_.happened(event); }
  // The pending event that happens in a passing schedule of a trace that ends waiting; otherwise kNoEvent.
  EventRef proceeded() const { return evaluator_.proceeded(); }

  // Of a feasible schedule; parts are numbers in SymbolicTrace::parts.
  uint64_t value(ExprId expr) const { return evaluator_.value(expr); }
  uint64_t symbolValue(uint32_t symbol) const { return evaluator_.symbolValue(symbol); }
  AccessValue accessValue(EventRef event) const { return evaluator_.accessValue(event); }
  bool touches(uint32_t part) const { return evaluator_.touches(part); }
  bool reads(uint32_t part) const { return evaluator_.reads(part); }
  // The write that the part took its value from; kNoEvent: the initial value, or nothing flowed.
  EventRef source(uint32_t part) const { return evaluator_.readFrom()[part]; }
  // What every part took; where nothing flowed, kNoEvent.
  std::vector<EventRef> sources() const { return evaluator_.sources(); }
  // Of a return from a wait: the signal or broadcast that ended it; kNoEvent: none.
  EventRef wokenBy(EventRef wake) const { return evaluator_.wokenBy(wake); }
  // The last write of the cell; kNoEvent: it keeps its initial value.
  EventRef lastWrite(uint32_t cell) const { return evaluator_.lastWrite(cell); }

private:
  const SymbolicTrace& trace_;
  EventOrder order_;
  std::vector<uint32_t> positions_; // by event
  mutable Evaluator evaluator_;     // computes when it is asked
  Outcome outcome_;
};

} // namespace symbiosis
