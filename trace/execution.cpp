#include "trace/execution.h"

namespace symbiosis {

Execution::Execution(const CompiledTrace& code, Journal journal)
    : code_(code), journaling_(journal == Journal::kept), failure_(code.ending.failure()),
      initialObjects_(code.trace.objects.size()), queueOf_(code.trace.objects.size(), kNone) {
  for (const TraceThread& thread : code.trace.threads) {
    firstEvent_.push_back(thread.firstEvent);
    eventCount_.push_back(thread.eventCount);
  }
  size_t queues = 0;
  for (const CompiledEvent& event : code.events) {
    const sync::Sort sort = sync::ruleOf(event.kind).sort;
    if (event.object == kNone || sort == sync::Sort::none) continue;
    usesRounds_ = usesRounds_ || sync::hasRounds(sort);
    if (sort != sync::Sort::condition)
      initialObjects_[event.object] = sync::ObjectState(sort);
    else if (queueOf_[event.object] == kNone)
      queueOf_[event.object] = uint32_t(queues++);
  }
  queues_.resize(queues);
  values_ = code.initialValues;
  reset();
}

void Execution::reset() {
  next_.assign(firstEvent_.size(), 0);
  threads_.assign(firstEvent_.size(), {});
  if (!threads_.empty()) threads_[0].creations = 1;
  roundOf_.assign(firstEvent_.size(), 0);
  objects_ = initialObjects_;
  for (ConditionQueue& queue : queues_) queue = {};
  memory_ = code_.initialMemory;
  lastWrite_.assign(memory_.size(), kNoEvent);
  readFrom_.assign(code_.parts.size(), kNoEvent);
  if (!queues_.empty()) wokenBy_.assign(code_.events.size(), kNoEvent);
  failureSeen_ = false;
  overwritten_.clear();
  earlierQueues_.clear();
  earlierRounds_.clear();
}

void Execution::compute(const CompiledOperation& operation) {
  const uint64_t a = values_[operation.a];
  values_[operation.result] =
      operation.node.op == ExprOp::symbol
          ? a & maskOf(operation.node.width)
          : applyOp(operation.node, operation.operandWidth, a, values_[operation.b], values_[operation.c]);
}

uint64_t Execution::value(Slot slot) {
  if (code_.isLate(slot))
    for (const CompiledOperation& operation : code_.late) compute(operation);
  return values_[slot];
}

bool Execution::bugHolds() {
  if (code_.trace.failure.kind == FailureKind::none) return false;
  for (Slot slot : code_.bug)
    if (value(slot) == 0) return false;
  return true;
}

uint32_t Execution::brokenCondition(EventRef ref) {
  for (uint32_t i = code_.firstCondition[ref]; i < code_.firstCondition[ref + 1]; ++i)
    if (value(code_.conditions[i].slot) == 0) return code_.conditions[i].condition;
  return kNone;
}

const char* Execution::whyImpossible(EventRef ref) const {
  const CompiledEvent& event = code_.events[ref];
  if (ref != nextOf(event.thread) || isFinished(event.thread)) return "out of program order";
  const sync::ThreadState& self = threads_[event.thread];
  if (event.kind != EventKind::start && !self.started) return "its thread has not started";
  if (self.exited && !event.synthetic) return "its thread has exited";
  return isAccess(event.kind) ? nullptr : whySyncImpossible(ref, event);
}

sync::Act Execution::actOf(EventRef ref, const CompiledEvent& event) const {
  sync::Act act{.kind = event.kind, .thread = event.thread, .argument = event.argument};
  if (sync::departs(event.kind)) act.argument = roundOf_[event.thread];
  if (event.kind == EventKind::rwunlock) act.partner = code_.events[code_.partner[ref]].kind;
  return act;
}

const char* Execution::whySyncImpossible(EventRef ref, const CompiledEvent& event) const {
  if (code_.impossible[ref]) return code_.impossible[ref];
  if (event.pending && (event.kind == EventKind::wake || event.kind == EventKind::oncePass))
    return whyStillWaiting(event);
  const sync::Rule& rule = sync::ruleOf(event.kind);
  switch (rule.sort) {
  case sync::Sort::none: return nullptr; // alloc, free, input, failure: no effect on others
  case sync::Sort::thread: return sync::can(threads_[threadOf(event)], {event.kind}) ? nullptr : rule.impossible;
  case sync::Sort::condition: return whyConditionImpossible(event);
  default: return sync::whyImpossible(objects_[event.object], actOf(ref, event));
  }
}

const char* Execution::whyConditionImpossible(const CompiledEvent& event) const {
  const sync::Rule& rule = sync::ruleOf(event.kind);
  if (rule.argument == sync::Argument::mutex)
    return sync::can(objects_[event.argument].mutex, {EventKind::unlock, event.thread}) ? nullptr
                                                                                        : rule.impossible;
  if (event.kind != EventKind::wake) return nullptr;
  if (event.argument == 0) return queue(event.object).canWakeSignalled(event.thread) ? nullptr : rule.impossible;
  return queue(event.object).canWakeAlone(event.thread) ? nullptr : rule.wouldSucceed;
}

// Pending operations that stand for more than the event of their kind: a return from a wait takes the mutex, too,
// and whoever calls a once that nobody has begun begins it himself.
const char* Execution::whyStillWaiting(const CompiledEvent& event) const {
  if (event.kind == EventKind::oncePass)
    return objects_[event.object].once == sync::OnceState::running ? sync::ruleOf(event.kind).impossible : nullptr;
  if (!queue(event.object).canWakeSignalled(event.thread)) return sync::ruleOf(event.kind).impossible;
  return isFree(event.argument) ? nullptr : sync::ruleOf(EventKind::lock).impossible;
}

bool Execution::allStayWaiting() const {
  for (EventRef ref : code_.ending.deciding()) {
    const CompiledEvent& event = code_.events[ref];
    if (nextOf(event.thread) != ref) return false;
    if (event.kind != EventKind::wake && isPossible(ref)) return false;
  }
  // Whom a signal reached is open as long as somebody else may have been the one.
  for (EventRef ref : code_.ending.deciding()) {
    const uint32_t condition = code_.events[ref].object;
    if (code_.events[ref].kind != EventKind::wake) continue;
    auto mustMiss = [&](ThreadIndex thread) {
      const CompiledEvent& next = code_.events[nextOf(thread)];
      return !isFinished(thread) && next.pending && !next.bystander && next.kind == EventKind::wake &&
             next.object == condition && isFree(next.argument);
    };
    if (!queue(condition).canMiss(mustMiss)) return false;
  }
  return true;
}

void Execution::doSync(EventRef ref, const CompiledEvent& event) {
  switch (sync::ruleOf(event.kind).sort) {
  case sync::Sort::none: return;
  case sync::Sort::thread: return sync::perform(threads_[threadOf(event)], {event.kind});
  case sync::Sort::condition: return doCondition(ref, event);
  default: break;
  }
  sync::ObjectState& object = objects_[event.object];
  if (sync::arrives(event.kind)) {
    if (journaling_) earlierRounds_.push_back(roundOf_[event.thread]);
    roundOf_[event.thread] = sync::roundsAt(sync::ruleOf(event.kind).sort, object);
  }
  sync::perform(object, actOf(ref, event));
}

void Execution::doCondition(EventRef ref, const CompiledEvent& event) {
  ConditionQueue& waiters = queue(event.object);
  if (journaling_) earlierQueues_.push_back(waiters);
  switch (event.kind) {
  case EventKind::waitBegin:
    sync::perform(objects_[event.argument].mutex, {EventKind::unlock, event.thread});
    return waiters.join(event.thread, ref);
  case EventKind::wake:
    wokenBy_[ref] = event.argument == 0 ? waiters.wakeSignalled(event.thread) : kNoEvent;
    if (event.argument != 0) waiters.wakeAlone(event.thread);
    return;
  default: waiters.signal(ref, event.kind == EventKind::broadcast);
  }
}

void Execution::undo(EventRef ref) {
  assert(journaling_);
  const CompiledEvent& event = code_.events[ref];
  --next_[event.thread];
  if (ref == failure_) failureSeen_ = false;
  if (!isAccess(event.kind)) return undoSync(event, ref);
  if (event.kind == EventKind::read) return;
  for (uint32_t i = event.partCount; i-- > 0;) {
    const CompiledPart& part = code_.parts[event.firstPart + i];
    if (part.written == kNone) continue;
    memory_[part.cell] = overwritten_.back();
    overwritten_.pop_back();
  }
}

void Execution::undoSync(const CompiledEvent& event, EventRef ref) {
  switch (sync::ruleOf(event.kind).sort) {
  case sync::Sort::none: return;
  case sync::Sort::thread: return sync::undo(threads_[threadOf(event)], {event.kind});
  case sync::Sort::condition: return undoCondition(event);
  default: break;
  }
  sync::undo(objects_[event.object], actOf(ref, event));
  if (!sync::arrives(event.kind)) return;
  roundOf_[event.thread] = earlierRounds_.back();
  earlierRounds_.pop_back();
}

void Execution::undoCondition(const CompiledEvent& event) {
  if (event.kind == EventKind::waitBegin)
    sync::undo(objects_[event.argument].mutex, {EventKind::unlock, event.thread});
  queue(event.object) = std::move(earlierQueues_.back());
  earlierQueues_.pop_back();
}

} // namespace symbiosis
