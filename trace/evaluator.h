#pragma once
// Runs a total order of events against a symbolic trace: each read takes the last write, each sync operation must
// be enabled, each path condition must hold (except those of tail events after the failure). Linear in the number
// of events. This is the definition of what a schedule does; whatever the solver answers is checked here before
// anybody sees it.
#include "trace/execution.h"
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"

namespace symbiosis {

enum class Outcome : uint8_t {
  failing,    // follows the path; the bug condition holds, after everything that completed before the failure
  passing,    // follows the path; the bug condition does not hold
              // (threads that wait: the first deciding event was possible; what stands behind is not looked at)
  failsEarly, // follows the path and the bug condition holds, but completed events stand after the failure
  infeasible, // leaves the path, or an operation was not possible
};
const char* toText(Outcome outcome);

struct Evaluation {
  Outcome outcome = Outcome::infeasible;
  size_t position = 0; // infeasible: position of the first event that could not happen
  std::string reason;  // infeasible: why, in words; filled by `explain` only
};

class Evaluator {
public:
  explicit Evaluator(const SymbolicTrace& trace);

  // `order` must hold every event of the trace once; anything else is infeasible.
  Evaluation run(const EventOrder& order);
  // The same, with the reason in words.
  Evaluation explain(const EventOrder& order);

  // After a run of outcome `passing` of a trace that ends waiting: the pending event that happened.
  EventRef proceeded() const { return proceeded_; }
  // After a run that was not infeasible: whether the event was part of it; what stands behind the end is not.
  bool happened(EventRef event) const {
    const ThreadIndex thread = trace_.threadOf(event);
    return event - trace_.threads[thread].firstEvent < execution_.position(thread);
  }
  // After a run that was not infeasible:
  uint64_t symbolValue(uint32_t symbol) const { return execution_.symbolValue(symbol); }
  uint64_t value(ExprId expr);
  // The event whose write each part read; kNoEvent: the initial value, or nothing flowed. Indexed like
  // SymbolicTrace::parts.
  const std::vector<EventRef>& readFrom() const { return execution_.readFrom(); }
  // The access was there: its guard holds. A number in SymbolicTrace::parts, as above.
  bool touches(uint32_t part) {
    const ExprId guard = trace_.parts[part].guard;
    return guard == kNoExpr || value(guard) != 0;
  }
  // A value flowed into the part: it reads, and not only to leave what it does not touch as it is.
  bool reads(uint32_t part) {
    const Part& p = trace_.parts[part];
    if (p.symbol == kNone) return false;
    return p.guard == kNoExpr ||
           (touches(part) && trace_.event(trace_.symbols[p.symbol].event).kind != EventKind::write);
  }
  // What each part took; kNoEvent also where nothing flowed.
  std::vector<EventRef> sources();
  // The last write of the cell; kNoEvent: none.
  EventRef lastWrite(uint32_t cell) const { return execution_.lastWrite(cell); }
  // The signal or broadcast that a wake took; kNoEvent: it woke by itself. A choice where there were several.
  EventRef wokenBy(EventRef wake) const { return execution_.wokenBy()[wake]; }
  // Value of the access, parts put together (at most 8 bytes; larger accesses give their first 8).
  AccessValue accessValue(EventRef event);

private:
  Evaluation run(const EventOrder& order, bool explaining);
  bool isInProgramOrder(const EventOrder& order) const;
  Outcome outcomeAtEnd(bool completedAfterFailure);
  std::string whyNot(EventRef event, Execution::Step step);

  const SymbolicTrace& trace_;
  CompiledTrace code_;
  Execution execution_;
  ExprEvaluator others_; // expressions that nothing in the trace uses
  bool othersAreCurrent_ = false;
  size_t happening_ = 0; // events that are not pending
  EventRef proceeded_ = kNoEvent;
};

// A failing schedule with what never happened in the run (synthetic releases, tail events) as late as it allows. A
// replay cannot do these alone: it lets the thread run on, which may then do more than the trace knows of.
EventOrder unhappenedLast(const SymbolicTrace& trace, EventOrder failing);

} // namespace symbiosis
