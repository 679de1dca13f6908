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
    : trace_(trace), code_(trace), execution_(code_, Execution::Journal::none), others_(trace.exprs) {}

Evaluation Evaluator::run(const EventOrder& order) { return run(order, false); }
Evaluation Evaluator::explain(const EventOrder& order) { return run(order, true); }

Evaluation Evaluator::run(const EventOrder& order, bool explaining) {
  auto infeasible = [&](size_t position, auto why) {
    return Evaluation{Outcome::infeasible, position, explaining ? why() : std::string()};
  };
  othersAreCurrent_ = false;
  execution_.reset();
  bool completedAfterFailure = false;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= trace_.events.size())
      return infeasible(i, [&] { return fmt::format("the trace has no event number {}", order[i]); });
    const bool failureSeen = execution_.failureSeen();
    const Execution::Step step = execution_.step(order[i]);
    if (step != Execution::Step::done) return infeasible(i, [&] { return whyNot(order[i], step); });
    const CompiledEvent& event = code_.events[order[i]];
    if (failureSeen && !event.tail && !event.synthetic) completedAfterFailure = true;
  }
  if (order.size() != trace_.events.size())
    return infeasible(order.size(), [&] {
      return fmt::format("{} events of {} are scheduled", order.size(), trace_.events.size());
    });
  if (!execution_.bugHolds()) return {Outcome::passing, order.size(), {}};
  return {completedAfterFailure ? Outcome::failsEarly : Outcome::failing, order.size(), {}};
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
  for (const Part& part : trace_.partsOf(ref)) {
    const unsigned width = trace_.cells[part.cell].size * 8u;
    if (result.width + width > 64) break;
    uint64_t bits = part.written != kNoExpr ? value(part.written) : symbolValue(part.symbol);
    result.bits |= bits << result.width;
    result.width += width;
  }
  return result;
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
