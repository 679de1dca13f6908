#include "dsp/shown_run.h"

namespace symbiosis {

ShownRun::ShownRun(const Diagnosis& diagnosis, const SymbolicTrace& trace, Side side)
    : other_(diagnosis.otherPath.get()), trace_(trace) {
  const bool hasAlternate =
      diagnosis.alternate.status == AlternateStatus::found && !diagnosis.alternate.order.empty();
  side_ = side == Side::alternate && hasAlternate ? 1 : 0;
  order_ = side_ == 1 ? diagnosis.alternate.order : diagnosis.failing;
  positions_ = positionsOf(trace, order_);
  if (!other_) {
    run_ = std::make_unique<EvaluatedSchedule>(trace, order_);
    return;
  }
  run_ = std::make_unique<EvaluatedSchedule>(other_->runs[side_], other_->orders[side_]);
  eventOfPart_.assign(trace.parts.size(), kNoEvent);
  for (EventRef ref = 0; ref < trace.events.size(); ++ref)
    for (uint32_t i = 0; i < trace.event(ref).partCount; ++i) eventOfPart_[trace.event(ref).firstPart + i] = ref;
}

uint32_t ShownRun::ownPart(uint32_t part) const {
  if (!other_) return part;
  const EventRef event = eventOfPart_[part];
  if (event == kNoEvent || own(event) == kNoEvent) return kNone;
  const Event& mine = other_->runs[side_].event(own(event));
  const uint32_t offset = part - trace_.event(event).firstPart;
  return offset < mine.partCount ? mine.firstPart + offset : kNone;
}

bool ShownRun::reads(uint32_t part) const {
  const uint32_t mine = ownPart(part);
  return mine != kNone && run_->reads(mine);
}

EventRef ShownRun::source(uint32_t part) const {
  const uint32_t mine = ownPart(part);
  return mine == kNone ? kNoEvent : joined(run_->source(mine));
}

} // namespace symbiosis
