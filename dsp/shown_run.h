#pragma once
// One side of a picture: a schedule with what it does, in the events of the trace that is shown beside the
// diagnosis. Where both runs follow one path that is an evaluated schedule of this trace; where they do not, each
// run has a trace of its own, and the one that is shown joins both (dsp/joined_runs.h).
#include "dsp/diagnosis.h"
#include "trace/evaluated_schedule.h"
#include <memory>

namespace symbiosis {

enum class Side : uint8_t { failing, alternate };

class ShownRun {
public:
  // Without an alternate its side shows the failing run, too.
  ShownRun(const Diagnosis& diagnosis, const SymbolicTrace& trace, Side side);

  const EventOrder& order() const { return order_; }
  bool isFeasible() const { return run_->isFeasible(); }
  uint32_t position(EventRef event) const { return positions_[event]; } // kNone: the run does not have it
  const std::vector<uint32_t>& positions() const { return positions_; }
  bool isBefore(EventRef a, EventRef b) const { return positions_[a] < positions_[b]; }
  // The run has the event, and it is looked at.
  bool happened(EventRef event) const { return own(event) != kNoEvent && run_->happened(own(event)); }
  EventRef proceeded() const { return joined(run_->proceeded()); }
  // The same, asked of an event that waits for ever in the trace that is shown: this run may go on there.
  EventRef proceededAt(EventRef event) const {
    const bool goesOn = other_ && own(event) != kNoEvent && !other_->runs[side_].event(own(event)).pending;
    return goesOn ? event : proceeded();
  }
  // Of an event that happened.
  AccessValue accessValue(EventRef event) const { return run_->accessValue(own(event)); }
  // Of a part of the shown trace.
  bool reads(uint32_t part) const;
  EventRef source(uint32_t part) const;

private:
  EventRef own(EventRef event) const { return other_ ? other_->joined.own[side_][event] : event; }
  EventRef joined(EventRef event) const {
    return event == kNoEvent || !other_ ? event : other_->joined.joined[side_][event];
  }
  uint32_t ownPart(uint32_t part) const; // kNone: the run has none such

  const OtherPath* other_ = nullptr; // null: both follow one path
  size_t side_ = 0;
  std::unique_ptr<EvaluatedSchedule> run_;
  EventOrder order_;
  std::vector<uint32_t> positions_;
  std::vector<EventRef> eventOfPart_; // of the shown trace, where runs have traces of their own
  const SymbolicTrace& trace_;
};

} // namespace symbiosis
