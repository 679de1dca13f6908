#include "trace/execution.h"

namespace symbiosis {

Execution::Execution(const CompiledTrace& code, Journal journal)
    : code_(code), journaling_(journal == Journal::kept),
      failure_(code.ending.failure()), initialObjects_(code.trace.objects.size()), queueOf_(code.trace.objects.size(), kNone) {
  for (const TraceThread& thread : code.trace.threads) {
    firstEvent_.push_back(thread.firstEvent);
    eventCount_.push_back(thread.eventCount);
  }
  size_t queues = 0;
  for (const CompiledEvent& event : code.events) {
    switch (event.kind) {
    case EventKind::waitBegin:
    case EventKind::wake:
    case EventKind::signal:
    case EventKind::broadcast:
      if (queueOf_[event.object] == kNone) queueOf_[event.object] = uint32_t(queues++);
      break;
    case EventKind::rdlock:
    case EventKind::wrlock:
    case EventKind::tryrdlock:
    case EventKind::trywrlock:
    case EventKind::rwunlock: initialObjects_[event.object].rwlock = {}; break;
    case EventKind::semInit:
    case EventKind::semPost:
    case EventKind::semWait:
    case EventKind::semTrywait: initialObjects_[event.object].semaphore = {}; break;
    case EventKind::barrierArrive:
    case EventKind::barrierLeave:
      initialObjects_[event.object].barrier = {};
      usesBarriers_ = true;
      break;
    case EventKind::onceBegin:
    case EventKind::onceEnd:
    case EventKind::oncePass: initialObjects_[event.object].once = sync::OnceState::never; break;
    default: break;
    }
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

const char* Execution::whySyncImpossible(EventRef ref, const CompiledEvent& event) const {
  if (code_.impossible[ref]) return code_.impossible[ref];
  auto unless = [](bool possible, const char* why) { return possible ? nullptr : why; };
  if (event.pending && (event.kind == EventKind::wake || event.kind == EventKind::oncePass))
    return whyStillWaiting(event);
  const ThreadIndex thread = event.thread;
  const bool acquires = event.argument == 0; // of the operations that only try
  switch (event.kind) {
  case EventKind::start: return unless(sync::canStart(threads_[thread]), "its thread has not been created");
  case EventKind::join:
    return unless(sync::canJoin(threads_[event.argument]), "the thread it waits for has not exited");
  case EventKind::lock: return unless(sync::canLock(objects_[event.object].mutex), "the mutex is held");
  case EventKind::unlock:
    return unless(sync::canUnlock(objects_[event.object].mutex, thread), "the mutex is not held by this thread");
  case EventKind::trylock:
    return unless(sync::trylockAcquires(objects_[event.object].mutex) == acquires,
                  acquires ? "the mutex is held" : "the mutex is free");
  case EventKind::waitBegin:
    return unless(sync::canUnlock(objects_[event.argument].mutex, thread), "the mutex is not held by this thread");
  case EventKind::wake:
    return acquires ? unless(queue(event.object).canWakeSignalled(thread), "no signal has reached it")
                    : unless(queue(event.object).canWakeAlone(thread), "a signal has reached it");
  case EventKind::rdlock:
    return unless(sync::canReadLock(objects_[event.object].rwlock), "the lock is held for writing");
  case EventKind::tryrdlock:
    return unless(sync::canReadLock(objects_[event.object].rwlock) == acquires,
                  acquires ? "the lock is held for writing" : "the lock is free");
  case EventKind::wrlock: return unless(sync::canWriteLock(objects_[event.object].rwlock), "the lock is held");
  case EventKind::trywrlock:
    return unless(sync::canWriteLock(objects_[event.object].rwlock) == acquires,
                  acquires ? "the lock is held" : "the lock is free");
  case EventKind::semWait: return unless(sync::canTake(objects_[event.object].semaphore), "there is no token");
  case EventKind::semTrywait:
    return unless(sync::canTake(objects_[event.object].semaphore) == acquires,
                  acquires ? "there is no token" : "there is a token");
  case EventKind::barrierLeave:
    return unless(sync::canLeave(objects_[event.object].barrier, roundOf_[thread]), "the round is not complete");
  case EventKind::onceBegin:
    return unless(objects_[event.object].once == sync::OnceState::never, "the initialiser has run already");
  case EventKind::oncePass:
    return unless(objects_[event.object].once == sync::OnceState::done, "the initialiser has not finished");
  default:
    return nullptr; // exit, fork, signals, posts, arrivals; alloc, free, input, failure: no effect on others
  }
}

// Pending operations that stand for more than the event of their kind: a return from a wait takes the mutex, too,
// and whoever calls a once that nobody has begun begins it himself.
const char* Execution::whyStillWaiting(const CompiledEvent& event) const {
  if (event.kind == EventKind::oncePass)
    return objects_[event.object].once == sync::OnceState::running ? "the initialiser has not finished" : nullptr;
  if (!queue(event.object).canWakeSignalled(event.thread)) return "no signal has reached it";
  return sync::canLock(objects_[event.argument].mutex) ? nullptr : "the mutex is held";
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
             next.object == condition && sync::canLock(objects_[next.argument].mutex);
    };
    if (!queue(condition).canMiss(mustMiss)) return false;
  }
  return true;
}

void Execution::doSync(EventRef ref, const CompiledEvent& event) {
  const ThreadIndex thread = event.thread;
  SyncObject* const object = event.object == kNone ? nullptr : &objects_[event.object];
  const bool acquires = event.argument == 0;
  switch (event.kind) {
  case EventKind::start: threads_[thread].started = true; break;
  case EventKind::exit: threads_[thread].exited = true; break;
  case EventKind::fork: ++threads_[event.argument].creations; break;
  case EventKind::lock: sync::lock(object->mutex, thread); break;
  case EventKind::unlock: sync::unlock(object->mutex); break;
  case EventKind::trylock:
    if (acquires) sync::lock(object->mutex, thread);
    break;
  case EventKind::waitBegin:
    if (journaling_) earlierQueues_.push_back(queue(event.object));
    sync::unlock(objects_[event.argument].mutex);
    queue(event.object).join(thread, ref);
    break;
  case EventKind::wake:
    if (journaling_) earlierQueues_.push_back(queue(event.object));
    wokenBy_[ref] = kNoEvent;
    if (acquires)
      wokenBy_[ref] = queue(event.object).wakeSignalled(thread);
    else
      queue(event.object).wakeAlone(thread);
    break;
  case EventKind::signal:
  case EventKind::broadcast:
    if (journaling_) earlierQueues_.push_back(queue(event.object));
    queue(event.object).signal(ref, event.kind == EventKind::broadcast);
    break;
  case EventKind::rdlock: ++object->rwlock.readers; break;
  case EventKind::wrlock: object->rwlock.writer = thread; break;
  case EventKind::tryrdlock: object->rwlock.readers += acquires; break;
  case EventKind::trywrlock:
    if (acquires) object->rwlock.writer = thread;
    break;
  case EventKind::rwunlock:
    if (object->rwlock.writer == thread)
      object->rwlock.writer = sync::kNobody;
    else
      --object->rwlock.readers;
    break;
  case EventKind::semInit: object->semaphore.tokens += event.argument; break;
  case EventKind::semPost: ++object->semaphore.tokens; break;
  case EventKind::semWait: --object->semaphore.tokens; break;
  case EventKind::semTrywait: object->semaphore.tokens -= acquires; break;
  case EventKind::barrierArrive:
    if (journaling_) earlierRounds_.push_back(roundOf_[thread]);
    roundOf_[thread] = object->barrier.rounds;
    sync::arrive(object->barrier, event.argument);
    break;
  case EventKind::onceBegin: object->once = sync::OnceState::running; break;
  case EventKind::onceEnd: object->once = sync::OnceState::done; break;
  default: break;
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
  const ThreadIndex thread = event.thread;
  SyncObject* const object = event.object == kNone ? nullptr : &objects_[event.object];
  const bool acquires = event.argument == 0;
  auto restoreQueue = [&] {
    queue(event.object) = std::move(earlierQueues_.back());
    earlierQueues_.pop_back();
  };
  switch (event.kind) {
  case EventKind::start: threads_[thread].started = false; break;
  case EventKind::exit: threads_[thread].exited = false; break;
  case EventKind::fork: --threads_[event.argument].creations; break;
  case EventKind::lock: sync::unlock(object->mutex); break;
  case EventKind::unlock: sync::lock(object->mutex, thread); break;
  case EventKind::trylock:
    if (acquires) sync::unlock(object->mutex);
    break;
  case EventKind::waitBegin:
    sync::lock(objects_[event.argument].mutex, thread);
    restoreQueue();
    break;
  case EventKind::wake:
  case EventKind::signal:
  case EventKind::broadcast: restoreQueue(); break;
  case EventKind::rdlock: --object->rwlock.readers; break;
  case EventKind::wrlock: object->rwlock.writer = sync::kNobody; break;
  case EventKind::tryrdlock: object->rwlock.readers -= acquires; break;
  case EventKind::trywrlock:
    if (acquires) object->rwlock.writer = sync::kNobody;
    break;
  case EventKind::rwunlock: {
    const EventKind held = code_.events[code_.partner[ref]].kind;
    if (held == EventKind::wrlock || held == EventKind::trywrlock)
      object->rwlock.writer = thread;
    else
      ++object->rwlock.readers;
    break;
  }
  case EventKind::semInit: object->semaphore.tokens -= event.argument; break;
  case EventKind::semPost: --object->semaphore.tokens; break;
  case EventKind::semWait: ++object->semaphore.tokens; break;
  case EventKind::semTrywait: object->semaphore.tokens += acquires; break;
  case EventKind::barrierArrive:
    roundOf_[thread] = earlierRounds_.back();
    earlierRounds_.pop_back();
    if (object->barrier.arrived-- == 0) {
      --object->barrier.rounds;
      object->barrier.arrived = event.argument - 1;
    }
    break;
  case EventKind::onceBegin: object->once = sync::OnceState::never; break;
  case EventKind::onceEnd: object->once = sync::OnceState::running; break;
  default: break;
  }
}

} // namespace symbiosis
