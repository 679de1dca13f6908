#include "trace/evaluator.h"
#include <algorithm>
#include <fmt/format.h>

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

Evaluator::Evaluator(const SymbolicTrace& trace) : trace_(trace), values_(trace.exprs) {
  conditionsAfter_.resize(trace.events.size());
  for (uint32_t i = 0; i < trace.conditions.size(); ++i) {
    assert(trace.conditions[i].after < trace.events.size());
    conditionsAfter_[trace.conditions[i].after].push_back(i);
  }
}

Evaluation Evaluator::explain(const EventOrder& order) {
  explaining_ = true;
  reason_.clear();
  Evaluation evaluation = run(order);
  explaining_ = false;
  if (evaluation.outcome == Outcome::infeasible) evaluation.reason = reason_;
  return evaluation;
}

bool Evaluator::blame(std::string_view reason) {
  if (explaining_) reason_ = reason;
  return false;
}

Evaluation Evaluator::run(const EventOrder& order) {
  values_.reset();
  nextOfThread_.assign(trace_.threads.size(), 0);
  threads_.assign(trace_.threads.size(), {});
  mutexes_.assign(trace_.objects.size(), {});
  lastWrite_.assign(trace_.cells.size(), kNoEvent);
  readFrom_.assign(trace_.parts.size(), kNoEvent);
  for (uint32_t s = 0; s < trace_.symbols.size(); ++s)
    if (trace_.symbols[s].event == kNoEvent) values_.assign(s, trace_.symbols[s].observed.value_or(0));
  memory_.resize(trace_.cells.size());
  for (size_t i = 0; i < trace_.cells.size(); ++i) memory_[i] = values_.value(trace_.cells[i].initial);
  if (!threads_.empty()) threads_[0].created = true;

  failureSeen_ = false;
  bool completedAfterFailure = false;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= trace_.events.size()) {
      blame(fmt::format("the trace has no event number {}", order[i]));
      return {Outcome::infeasible, i, {}};
    }
    if (!step(order[i])) {
      if (explaining_) reason_ = fmt::format("{}: {}", trace_.describe(order[i]), reason_);
      return {Outcome::infeasible, i, {}};
    }
    const Event& event = trace_.events[order[i]];
    if (order[i] == trace_.failure.event)
      failureSeen_ = true;
    else if (failureSeen_ && !event.tail && !event.synthetic)
      completedAfterFailure = true;
  }
  if (order.size() != trace_.events.size()) {
    if (explaining_) reason_ = fmt::format("{} events of {} are scheduled", order.size(), trace_.events.size());
    return {Outcome::infeasible, order.size(), {}};
  }
  bool bug = std::all_of(trace_.failure.bug.begin(), trace_.failure.bug.end(),
                         [&](ExprId condition) { return values_.value(condition) != 0; });
  if (!bug) return {Outcome::passing, order.size(), {}};
  return {completedAfterFailure ? Outcome::failsEarly : Outcome::failing, order.size(), {}};
}

bool Evaluator::step(EventRef ref) {
  const Event& event = trace_.events[ref];
  const TraceThread& thread = trace_.threads[event.id.thread];
  uint32_t& next = nextOfThread_[event.id.thread];
  if (ref != thread.firstEvent + next) return blame("out of program order");
  ++next;
  sync::ThreadState& self = threads_[event.id.thread];
  if (event.kind != EventKind::start && !self.started) return blame("its thread has not started");
  if (self.exited && !event.synthetic) return blame("its thread has exited");
  if (!isAccess(event.kind)) return stepSync(event) && conditionsHold(ref);
  for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i) {
    const Part& part = trace_.parts[i];
    if (part.symbol == kNone) continue;
    values_.assign(part.symbol, memory_[part.cell]);
    readFrom_[i] = lastWrite_[part.cell];
  }
  for (const Part& part : trace_.partsOf(ref)) {
    if (part.written == kNoExpr) continue;
    memory_[part.cell] = values_.value(part.written);
    lastWrite_[part.cell] = ref;
  }
  return conditionsHold(ref);
}

bool Evaluator::stepSync(const Event& event) {
  const ThreadIndex thread = event.id.thread;
  switch (event.kind) {
  case EventKind::start:
    if (!sync::canStart(threads_[thread])) return blame("its thread has not been created");
    threads_[thread].started = true;
    return true;
  case EventKind::exit: threads_[thread].exited = true; return true;
  case EventKind::fork: threads_[event.peer].created = true; return true;
  case EventKind::join:
    return sync::canJoin(threads_[event.peer]) || blame("the thread it waits for has not exited");
  case EventKind::lock:
    if (!sync::canLock(mutexes_[event.object])) return blame("the mutex is held");
    sync::lock(mutexes_[event.object], thread);
    return true;
  case EventKind::unlock:
    if (!sync::canUnlock(mutexes_[event.object], thread)) return blame("the mutex is not held by this thread");
    sync::unlock(mutexes_[event.object]);
    return true;
  case EventKind::trylock:
    if (sync::trylockAcquires(mutexes_[event.object]) != (event.outcome == 0))
      return blame(event.outcome == 0 ? "the mutex is held" : "the mutex is free");
    if (event.outcome == 0) sync::lock(mutexes_[event.object], thread);
    return true;
  default: return true; // alloc, free, input, failure: no effect on others
  }
}

bool Evaluator::conditionsHold(EventRef ref) {
  // A tail event may not have happened; after the failure nobody knows which way it would have gone.
  if (failureSeen_ && trace_.events[ref].tail) return true;
  for (uint32_t i : conditionsAfter_[ref]) {
    if (values_.value(trace_.conditions[i].expr) != 0) continue;
    if (!explaining_) return false;
    return blame(fmt::format("the path condition {} does not hold", toText(trace_, trace_.conditions[i].expr)));
  }
  return true;
}

AccessValue Evaluator::accessValue(EventRef ref) {
  AccessValue result;
  for (const Part& part : trace_.partsOf(ref)) {
    const unsigned width = trace_.cells[part.cell].size * 8u;
    if (result.width + width > 64) break;
    uint64_t bits = part.written != kNoExpr ? values_.value(part.written) : values_.symbolValue(part.symbol);
    result.bits |= bits << result.width;
    result.width += width;
  }
  return result;
}

} // namespace symbiosis
