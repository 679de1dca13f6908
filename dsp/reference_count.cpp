#include "dsp/reference_count.h"
#include <algorithm>

namespace symbiosis {

namespace {

class CountSearch {
public:
  CountSearch(const EvaluatedSchedule& failing, EventRef use)
      : trace_(failing.trace()), failing_(failing), use_(use), freed_(trace_.failure.freed) {}

  std::optional<BrokenCount> find() {
    if (!findTest()) return {};
    for (ThreadIndex thread : {trace_.threadOf(use_), trace_.threadOf(freed_)})
      if (auto found = splitBetween(thread)) return found;
    for (ThreadIndex thread = 0; thread < trace_.threads.size(); ++thread)
      if (auto found = lostUpdate(thread)) return found;
    return {};
  }

private:
  // The last branch before the free that looks at a cell which several threads update.
  bool findTest() {
    EventRef latest = kNoEvent;
    for (const Condition& condition : trace_.conditions) {
      if (condition.kind != ConditionKind::branch || condition.after == kNoEvent || condition.after >= freed_ ||
          trace_.threadOf(condition.after) != trace_.threadOf(freed_))
        continue;
      if (latest != kNoEvent && condition.after < latest) continue;
      for (uint32_t symbol : trace_.exprs.symbolsIn(condition.expr))
        if (const EventRef read = trace_.symbols[symbol].event; read != kNoEvent)
          for (const Part& part : trace_.partsOf(read))
            if (part.symbol == symbol && !trace_.cells[part.cell].isLife && isCount(part.cell)) {
              latest = condition.after;
              test_ = read;
              cell_ = part.cell;
            }
    }
    return test_ != kNoEvent;
  }

  // Updated, and not only set, by two threads before the failure.
  bool isCount(uint32_t cell) const {
    ThreadIndex first = kNone;
    for (EventRef event = 0; event < trace_.events.size(); ++event) {
      if (!updates(event, cell) || !failing_.isBefore(event, use_)) continue;
      if (first != kNone && first != trace_.threadOf(event)) return true;
      first = trace_.threadOf(event);
    }
    return false;
  }

  const Part* writeOf(EventRef event, uint32_t cell) const {
    for (const Part& part : trace_.partsOf(event))
      if (part.cell == cell && part.written != kNoExpr) return &part;
    return nullptr;
  }
  // The read of this cell from which the event's write was computed; itself, if it is one step.
  EventRef readBehind(EventRef event, uint32_t cell) const {
    const Part* write = writeOf(event, cell);
    if (!write) return kNoEvent;
    for (uint32_t symbol : trace_.exprs.symbolsIn(write->written)) {
      const EventRef read = trace_.symbols[symbol].event;
      if (read == kNoEvent || trace_.threadOf(read) != trace_.threadOf(event)) continue;
      for (const Part& part : trace_.partsOf(read))
        if (part.cell == cell) return read;
    }
    return kNoEvent;
  }
  bool updates(EventRef event, uint32_t cell) const { return readBehind(event, cell) != kNoEvent; }
  bool reads(EventRef event) const {
    if (event == use_)
      return !trace_.event(use_).variable.empty() && trace_.event(use_).variable == trace_.event(test_).variable;
    const auto parts = trace_.partsOf(event);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.cell == cell_ && part.symbol != kNone; });
  }

  // Another thread's update between the two.
  EventRef intruder(EventRef first, EventRef last) const {
    for (EventRef event = 0; event < trace_.events.size(); ++event)
      if (trace_.threadOf(event) != trace_.threadOf(first) && updates(event, cell_) &&
          failing_.isBefore(first, event) && failing_.isBefore(event, last))
        return event;
    return kNoEvent;
  }

  std::pair<EventRef, EventRef> eventsOf(ThreadIndex thread) const {
    const TraceThread& info = trace_.threads[thread];
    return {info.firstEvent, info.firstEvent + info.eventCount};
  }

  // The thread's last update of the count, and where it looks at it again.
  std::optional<BrokenCount> splitBetween(ThreadIndex thread) const {
    EventRef change = kNoEvent;
    const auto [begin, end] = eventsOf(thread);
    for (EventRef event = begin; event < end && event <= std::max(use_, freed_); ++event) {
      const EventRef other = change != kNoEvent && reads(event) && !updates(event, cell_) && !leadsToUpdate(event)
                                 ? intruder(change, event)
                                 : kNoEvent;
      const bool counts = event == test_ || event == use_ || decidesUse(event);
      if (other != kNoEvent && counts) return BrokenCount{change, event, other, test_, false};
      if (updates(event, cell_)) change = event;
    }
    return {};
  }
  // It is the first half of an update, not a test.
  bool leadsToUpdate(EventRef read) const {
    const auto [begin, end] = eventsOf(trace_.threadOf(read));
    for (EventRef event = read + 1; event < end; ++event)
      if (readBehind(event, cell_) == read) return true;
    return false;
  }
  // A branch of the using thread before its use depends on the read.
  bool decidesUse(EventRef read) const {
    return trace_.threadOf(read) == trace_.threadOf(use_) && read < use_ &&
           std::any_of(
               trace_.conditions.begin(), trace_.conditions.end(),
               [&](const Condition& condition) {
                 if (condition.kind != ConditionKind::branch || condition.after >= use_) return false;
                 const auto symbols = trace_.exprs.symbolsIn(condition.expr);
                 return std::any_of(symbols.begin(), symbols.end(),
                                    [&](uint32_t symbol) { return trace_.symbols[symbol].event == read; });
               });
  }

  std::optional<BrokenCount> lostUpdate(ThreadIndex thread) const {
    const auto [begin, end] = eventsOf(thread);
    for (EventRef write = begin; write < end; ++write) {
      const EventRef read = readBehind(write, cell_);
      if (read == kNoEvent || read == write || !failing_.isBefore(write, freed_)) continue;
      if (const EventRef other = intruder(read, write); other != kNoEvent)
        return BrokenCount{read, write, other, test_, true};
    }
    return {};
  }

  const SymbolicTrace& trace_;
  const EvaluatedSchedule& failing_;
  const EventRef use_, freed_;
  EventRef test_ = kNoEvent;
  uint32_t cell_ = 0; // of the count
};

} // namespace

std::optional<BrokenCount> findBrokenCount(const EvaluatedSchedule& failing, EventRef use) {
  if (use == kNoEvent || failing.trace().failure.freed == kNoEvent) return {};
  return CountSearch(failing, use).find();
}

} // namespace symbiosis
