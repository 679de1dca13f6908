#include "trace/evaluator.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace symbiosis {

const char* toText(Outcome outcome) {
  switch (outcome) {
  case Outcome::failing: return "failing";
  case Outcome::passing: return "passing";
  case Outcome::failsEarly: return "fails early";
  case Outcome::infeasible: return "infeasible";
  }
  return "?";
}

Evaluator::Evaluator(const SymbolicTrace& trace)
    : trace_(trace), code_(trace), execution_(code_, Execution::Journal::none), others_(trace.exprs) {
  for (const Event& event : trace.events) happening_ += !event.pending;
}

Evaluation Evaluator::run(const EventOrder& order) { return run(order, false); }
Evaluation Evaluator::explain(const EventOrder& order) { return run(order, true); }

Evaluation Evaluator::run(const EventOrder& order, bool explaining) {
  auto infeasible = [&](size_t position, auto why) {
    return Evaluation{Outcome::infeasible, position, explaining ? why() : std::string()};
  };
  othersAreCurrent_ = false;
  proceeded_ = kNoEvent;
  execution_.reset();
  bool completedAfterFailure = false;
  size_t done = 0;
  // What is not looked at must still be there, each event once.
  if (!code_.ending.looksAtEverything() && !isInProgramOrder(order))
    return infeasible(0, [] { return std::string("the events of a thread are out of order"); });
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= trace_.events.size())
      return infeasible(i, [&] { return fmt::format("the trace has no event number {}", order[i]); });
    if (code_.events[order[i]].pending) {
      if (!code_.events[order[i]].bystander && execution_.isPossible(order[i])) {
        proceeded_ = order[i];
        break;
      }
      // Who waits stands behind everything that happens.
      if (done != happening_)
        return infeasible(i, [&] { return trace_.describe(order[i]) + ": it waits, and others go on"; });
      break;
    }
    const bool failureSeen = execution_.failureSeen();
    const Execution::Step step = execution_.step(order[i]);
    if (step != Execution::Step::done) return infeasible(i, [&] { return whyNot(order[i], step); });
    ++done;
    const CompiledEvent& event = code_.events[order[i]];
    if (failureSeen && !event.tail && !event.synthetic) completedAfterFailure = true;
  }
  if (order.size() != trace_.events.size())
    return infeasible(order.size(), [&] {
      return fmt::format("{} events of {} are scheduled", order.size(), trace_.events.size());
    });
  const Outcome outcome = outcomeAtEnd(completedAfterFailure);
  if (outcome == Outcome::infeasible)
    return infeasible(order.size(), [] { return std::string("an operation that waits has become possible"); });
  return {outcome, order.size(), {}};
}

// Of a schedule that has been run up to its end.
Outcome Evaluator::outcomeAtEnd(bool completedAfterFailure) {
  switch (code_.ending.kind()) {
  case TraceEndKind::check:
    if (!execution_.bugHolds()) return Outcome::passing;
    return completedAfterFailure ? Outcome::failsEarly : Outcome::failing;
  case TraceEndKind::waiting:
    if (proceeded_ != kNoEvent) return Outcome::passing;
    return execution_.allStayWaiting() ? Outcome::failing : Outcome::infeasible;
  }
  return Outcome::infeasible;
}

// Of each thread a beginning, every event once.
bool Evaluator::isInProgramOrder(const EventOrder& order) const {
  std::vector<uint32_t> next(trace_.threads.size(), 0);
  for (EventRef ref : order) {
    if (ref >= trace_.events.size()) return false;
    const ThreadIndex thread = trace_.threadOf(ref);
    if (ref != trace_.threads[thread].firstEvent + next[thread]++) return false;
  }
  return true;
}

std::string Evaluator::whyNot(EventRef event, Execution::Step step) {
  const std::string who = trace_.describe(event);
  if (step == Execution::Step::impossible) return fmt::format("{}: {}", who, execution_.whyImpossible(event));
  const Condition& broken = trace_.conditions[execution_.brokenCondition(event)];
  return fmt::format("{}: the path condition {} does not hold", who, toText(trace_, broken.expr));
}

uint64_t Evaluator::value(ExprId expr) {
  const Slot slot = code_.slotOf(expr);
  if (slot != kNone) return execution_.value(slot);
  if (!othersAreCurrent_) {
    others_.reset();
    for (uint32_t s = 0; s < trace_.symbols.size(); ++s) others_.assign(s, symbolValue(s));
    othersAreCurrent_ = true;
  }
  return others_.value(expr);
}

AccessValue Evaluator::accessValue(EventRef ref) {
  AccessValue result;
  const Event& event = trace_.event(ref);
  unsigned cells = 0;
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
    const Part& part = trace_.parts[i];
    if (!touches(i)) continue;
    const unsigned width = trace_.cells[part.cell].size * 8u;
    if (result.width + width > 64) break;
    uint64_t bits = part.written != kNoExpr ? value(part.written) : symbolValue(part.symbol);
    result.bits |= bits << result.width;
    result.width += width;
    result.isFloat = ++cells == 1 && trace_.cells[part.cell].isFloat;
    result.isLife = cells == 1 && trace_.cells[part.cell].isLife;
  }
  return result;
}

std::vector<EventRef> Evaluator::sources() {
  std::vector<EventRef> from = readFrom();
  for (uint32_t part = 0; part < from.size(); ++part)
    if (!reads(part)) from[part] = kNoEvent;
  return from;
}

EventOrder unhappenedLast(const SymbolicTrace& trace, EventOrder failing) {
  Evaluator evaluator(trace);
  for (const TraceThread& thread : trace.threads) {
    auto isUnhappened = [&](EventRef ref) {
      return ref >= thread.firstEvent && ref < thread.firstEvent + thread.eventCount &&
             (trace.event(ref).tail || trace.event(ref).synthetic);
    };
    EventOrder later = failing;
    std::stable_partition(later.begin(), later.end(), std::not_fn(isUnhappened));
    if (later != failing && evaluator.run(later).outcome == Outcome::failing) failing = std::move(later);
  }
  return failing;
}

} // namespace symbiosis
