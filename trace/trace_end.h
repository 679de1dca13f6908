#pragma once
// How a trace ends: the family of failures, and with it two things that everybody who runs, searches or encodes
// schedules has to know. *How far a schedule is looked at*, because behind its end the recording knows nothing;
// and *what decides* whether it fails or passes.
//
//            ends with                  fails                            passes                 looked at
//   check    the failure, one event     the bug condition holds, behind  it does not hold       everything
//                                       everything that completed
//   waiting  pending events, at which   everything that completed has    a deciding pending     up to that event
//            threads wait for ever      happened and none of the         event is possible
//                                       deciding ones is possible
//
// Callers ask the questions below. Where the members differ in more than the answers give (Evaluator::run,
// ForwardSearch::reached, ScheduleFormula::encode, project) there is a `switch` over the kind without a default,
// so that the compiler names every place to which another member must be added (docs/recipes.md, "Add a way to
// end").
#include "trace/symbolic_trace.h"

namespace symbiosis {

enum class TraceEndKind : uint8_t { check, waiting };

// What a schedule is asked to do.
enum class Goal { failing, passing };

class TraceEnd {
public:
  explicit TraceEnd(const SymbolicTrace& trace);

  TraceEndKind kind() const { return kind_; }

  // --- how far a schedule is looked at ---

  // True: to its last event, and each has to be possible, whatever the goal. False: up to its end, which is where
  // it is decided; an event that stands behind need not be possible, so that what must hold of an event must hold
  // only if it happens.
  bool looksAtEverything() const { return kind_ == TraceEndKind::check; }
  // Whether a thread may stop short of its last completed event in a schedule of this goal: what it does there may
  // stand behind the end.
  bool mayStop(Goal goal) const { return !looksAtEverything() && goal == Goal::passing; }
  // Behind this event the conditions of tail events do not count; kNoEvent: there is none such.
  EventRef failure() const { return kind_ == TraceEndKind::check ? trace_->failure.event : kNoEvent; }

  // --- what decides ---

  // True: what the bug condition comes to. False: which operations of synchronisation are possible.
  bool isDecidedByValues() const { return kind_ == TraceEndKind::check; }
  // Events that never happen: every thread that waits, and of these the ones that decide.
  const std::vector<EventRef>& waits() const { return waits_; }
  const std::vector<EventRef>& deciding() const { return deciding_; }
  // Events that in a failing schedule stand behind everything that completed.
  const std::vector<EventRef>& last() const { return last_; }
  // Whether the event surely happened before the recorded run failed: it is neither what the trace ends with nor
  // tail, synthetic or pending.
  bool isCompleted(EventRef ref) const {
    const Event& event = trace_->event(ref);
    return !event.tail && !event.synthetic && !event.pending && ref != failure();
  }

private:
  const SymbolicTrace* trace_;
  TraceEndKind kind_;
  std::vector<EventRef> waits_, deciding_, last_;
};

} // namespace symbiosis
