// Calls: into instrumented functions, and out of them (with callbacks, sync operations and recorded results).
#include "symexec/executor.h"
#include "symexec/failing_check.h"
#include "symexec/outside_functions.h"
#include "symexec/pending.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

bool ThreadExecutor::call(const Step& step, const CallBase& call) {
  if (const auto* intrinsicCall = dyn_cast<IntrinsicInst>(&call)) {
    intrinsic(step, *intrinsicCall);
    if (lost_) loseResult(step);
    if (ended_) return false;
    ++frame().step;
    return true;
  }
  if (step.isReport) noteReport(step);
  if (call.isInlineAsm()) {
    if (!call.getType()->isVoidTy()) takeScalars(call.getType(), result(step));
    if (step.isText) learnOperand(step);
    ++frame().step;
    return true;
  }
  if (step.site) return callOutside(step, call);
  arguments_.clear();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar* value = operand(step, i);
    if (call.isByValArgument(i)) {
      // The callee gets a copy of its own.
      const uint64_t size = context_.planner.layouts.allocSize(call.getParamByValType(i));
      const uint64_t copy = (privateTop_ + 15) & ~uint64_t{15};
      privateTop_ = copy + size;
      memory_.copy(copy, address(step, i), size);
      arguments_.push_back({.bits = copy});
      continue;
    }
    arguments_.insert(arguments_.end(), value, value + layoutOf(call.getArgOperand(i)->getType()).size());
  }
  enterFunction(*cast<Function>(call.getCalledOperand()->stripPointerCasts()), arguments_, &step);
  return true;
}

const format::OpRecord* ThreadExecutor::opHere(uint32_t site) const {
  if (nextOp_ == log_.ops.size() || crashIsNext()) return nullptr;
  const format::OpRecord& record = log_.ops[nextOp_];
  const bool here =
      record.site == site && record.wordOffset == cursor_.wordOffset() && record.word == cursor_.word();
  return here ? &record : nullptr;
}

// The call has returned: this was its last record, or it did nothing at all.
static bool isLastRecord(EventKind last, const format::OpRecord& record) {
  const EventKind kind = EventKind(record.kind);
  if (kind == EventKind::lock && record.argument) return false; // cancelled in it
  const bool initialises = last == EventKind::onceEnd || last == EventKind::onceBegin;
  const bool told = last == EventKind::join && kind == EventKind::write;
  return kind == last || told || kind == attemptOf(last) || (initialises && kind == EventKind::oncePass) ||
         (kind == EventKind::waitBegin && record.result != 0);
}

// A join may be followed by what it has told by its pointer.
bool ThreadExecutor::tellsMore(const Step& step, const format::OpRecord& record) const {
  if (EventKind(record.kind) != EventKind::join) return false;
  const format::OpRecord* next = opHere(step.site);
  return next && EventKind(next->kind) == EventKind::write;
}

bool ThreadExecutor::callOutside(const Step& step, const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const std::optional<EventKind> last = lastRecordOf(call);
  const std::optional<uint64_t> marker = cursor_.marker();
  const bool markerHere = marker && format::markerSite(*marker) == step.site;
  if (outside_.step != &step || outside_.frame != frame().instance) outside_ = markHere(step);
  if (callee && endsTheProcess(callee->getName())) exitHere(step, *operand(step, 0));
  if (!callee && markerHere && format::markerKind(*marker) == format::kEntryMarker) {
    // Through a pointer into instrumented code: the door has logged who was called.
    const Function* target = context_.snapshot.functions()[format::markerTarget(*marker)];
    const Scalar* pointer = valueOf(call.getCalledOperand());
    if (pointer && pointer->known && context_.addresses.functionAt(pointer->bits) == target) {
      const size_t depth = frames_.size();
      if (!enterFromOutside()) return false;
      frames_[depth].call = &step;
      // The caller's values are the same, and may be symbolic.
      if (target->getFunctionType() == call.getFunctionType() && !target->isVarArg()) {
        size_t at = 0;
        const Frame& caller = frames_[depth - 1];
        for (unsigned i = 0; i < call.arg_size(); ++i) {
          const size_t count = layoutOf(call.getArgOperand(i)->getType()).size();
          const Scalar* values = scalarAt(caller, caller.plan->operands[step.operands + i]);
          if (!call.isByValArgument(i))
            std::transform(values, values + count, frames_[depth].scalars.begin() + ptrdiff_t(at),
                           frames_[depth].scalars.begin() + ptrdiff_t(at),
                           [](const Scalar& computed, const Scalar& logged) { return merged(logged, computed); });
          at += count;
        }
      }
      return true;
    }
  }
  if (const format::OpRecord* record = opHere(step.site)) {
    ++nextOp_;
    takeOp(*record, &step);
    if (ended_ || (EventKind(record->kind) == EventKind::exit && !exiting_)) return false;
    const bool crashed = record->state == format::OpState::intent && crashIsNext();
    if (wasCancelledIn(*record)) return true;
    if (last && isLastRecord(*last, *record) && !tellsMore(step, *record) && !crashed)
      return finishOutsideCall(step, call, record);
    if (EventKind(record->kind) == EventKind::alloc) return finishOutsideCall(step, call, record);
    return true; // there may be more, or callbacks
  }
  const bool entersHere = markerHere && format::markerKind(*marker) == format::kEntryMarker;
  // A thread that is cancelled in a call leaves it like an exception, or by a longjmp to its cleanup.
  const bool leavesHere = markerHere && (format::markerKind(*marker) == format::kLandingMarker ||
                                         format::markerKind(*marker) == format::kReturnMarker);
  if (last && !entersHere && !leavesHere) return false; // blocked in it, or killed on the way
  if (entersHere) return enterFromOutside();
  if (markerHere && format::markerKind(*marker) == format::kLandingMarker) {
    thrown_ = outside_;
    return unwind();
  }
  if (markerHere && format::markerKind(*marker) == format::kReturnMarker)
    return returnToSetjmp(format::markerTarget(*marker));
  return finishOutsideCall(step, call);
}

bool ThreadExecutor::mayNotHaveReturned(const Step& call) const {
  if (!cursor_.atEnd() || nextOp_ < log_.ops.size()) return false;
  const bool waits = log_.pending && log_.pending->result && log_.pending->site == call.site;
  return waits || !reached(pointIndex_);
}

bool ThreadExecutor::finishOutsideCall(const Step& step, const CallBase& call, const format::OpRecord* returned) {
  outside_ = {};
  if (call.doesNotReturn()) {
    frames_.clear(); // pthread_exit, exit, abort: what follows happens outside
    return true;
  }
  const bool used = !call.use_empty();
  const bool unsure = mayNotHaveReturned(step);
  if (unsure && used && !(returned && returned->state == format::OpState::done)) return false;
  if (!call.getType()->isVoidTy()) {
    takeScalars(call.getType(), result(step));
    // The last value may not have been logged any more.
    if (unsure && returned && layoutOf(call.getType()).size() == 1) {
      const bool isAllocation = EventKind(returned->kind) == EventKind::alloc;
      result(step)->bits = (isAllocation ? returned->object : uint64_t(returned->result)) &
                           maskOf(layoutOf(call.getType())[0].bits);
    }
  }
  usedOutside(step, call, returned);
  if (step.point)
    lookAtText(step, call);
  else if (context_.level != format::Level::full)
    forgetWrittenOutside(step, call);
  noteUnmodelled(step, call);
  return goOnAfter(step);
}

const Function* ThreadExecutor::calleeOf(const CallBase& call) const {
  if (const Function* callee = call.getCalledFunction()) return callee;
  const Scalar* pointer = valueOf(call.getCalledOperand());
  return pointer && pointer->known ? context_.addresses.functionAt(pointer->bits) : nullptr;
}

bool ThreadExecutor::onlyShows(const Step& step, const CallBase& call) {
  const Function* callee = calleeOf(call);
  const bool prints = isInsertion(callee) && call.arg_size() > 0 && operand(step, 0)->known &&
                      isStandardStream(context_.addresses.globalAt(operand(step, 0)->bits));
  if (prints || !call.use_empty() || formats(callee)) return prints;
  if (writesNothing(call, callee)) return true;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy() && !call.onlyReadsMemory(i)) return false;
  return true;
}

void ThreadExecutor::noteUnmodelled(const std::string& what) {
  if (!is_contained(result_.unmodelled, what)) result_.unmodelled.push_back(what);
}

void ThreadExecutor::noteUnmodelledName(const CallBase& call) {
  const Function* callee = calleeOf(call);
  const std::string name =
      callee ? demangle(callee->getName()) : "a function called through a pointer " + lineOf(&call);
  noteUnmodelled(callee ? name.substr(0, name.find('(')) : name);
}

// A function outside that was given a pointer to shared memory may have written there without an event; or what it
// returned depends on what it has read there.
void ThreadExecutor::noteUnmodelled(const Step& step, const CallBase& call) {
  const Function* callee = calleeOf(call);
  if (context_.discovering || step.point) return;
  // What a wait in the kernel's terms returned is fed to a replay.
  const bool tells =
      !call.use_empty() && !lastRecordOf(call) && !keepsToItself(callee) && !isFutexWaitOrWake(call);
  // Pipes, sockets and signals order threads, and the trace has no events for that.
  static constexpr StringRef channels[] = {"readv",  "recvmsg",      "accept",  "accept4",     "epoll_wait",
                                           "select", "poll",         "ppoll",   "pause",       "mq_receive",
                                           "kill",   "pthread_kill", "sigwait", "sigwaitinfo", "sigsuspend"};
  if (callee && is_contained(channels, callee->getName())) noteUnmodelledName(call);
  if (onlyShows(step, call) || (writesNothing(call, callee) && !tells)) return;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy() || (call.onlyReadsMemory(i) && !tells)) continue;
    const Scalar pointer = *operand(step, i);
    if (!pointer.known || !pointer.bits || !context_.sharing.touchesShared(pointer.bits, kBehindPointer)) continue;
    noteUnmodelledName(call);
  }
}

void ThreadExecutor::takeOp(const format::OpRecord& record, const Step* step) {
  syncEvent(record, step);
  if (EventKind(record.kind) == EventKind::alloc && context_.level != format::Level::full)
    freshMemory(record.object, record.argument, step);
  lastTimestamp_ = record.timestamp;
  ++pointIndex_;
}

// The argument of the call that is the object has a name, if anything has.
std::string ThreadExecutor::nameOfSyncObject(uint64_t object, const Step* step) {
  const auto* call = step && object ? dyn_cast<CallBase>(step->instruction) : nullptr;
  for (unsigned i = 0; call && i < std::min<unsigned>(call->arg_size(), 2); ++i)
    if (call->getArgOperand(i)->getType()->isPointerTy() && operand(*step, i)->bits == object)
      return nameOf(call->getArgOperand(i), step->instruction, 1);
  return {};
}

// True if the operation changes who holds the mutex: a recursive mutex is held from its first lock to its last
// unlock.
bool ThreadExecutor::mutexEvent(uint64_t mutex, EventKind kind) {
  auto at = std::find_if(held_.begin(), held_.end(), [&](auto& entry) { return entry.first == mutex; });
  if (kind == EventKind::unlock) {
    if (at == held_.end()) return false;
    if (--at->second > 0) return false;
    held_.erase(at);
    return true;
  }
  if (at != held_.end()) {
    ++at->second;
    return false;
  }
  held_.push_back({mutex, 1});
  return true;
}

// The call returned an error, or a try did not succeed and is no event of the model.
static bool didNothing(const format::OpRecord& record) {
  if (record.state != format::OpState::done || record.result == 0) return false;
  switch (EventKind(record.kind)) {
  case EventKind::trylock:
  case EventKind::tryrdlock:
  case EventKind::trywrlock:
  case EventKind::semTrywait:
  case EventKind::wake: return false; // the result is the outcome
  default: return true;
  }
}

void ThreadExecutor::syncEvent(const format::OpRecord& record, const Step* step) {
  const EventKind kind = EventKind(record.kind);
  const bool isIntent = record.state == format::OpState::intent && isAcquisition(kind);
  if (isIntent && crashIsNext()) return; // in this very operation
  if (isIntent && !wasCancelledIn(record)) return endsIn(record, step);
  if (isIntent) return requestTaken(record, step);
  if (didNothing(record)) return;
  if (kind == EventKind::write) return outsideWrote(record, step);
  if (kind == EventKind::input) return;             // its value comes with the result of the call
  if (kind == EventKind::failure && !isFailing()) { // another one was first
    ended_ = true;
    return;
  }
  const bool endsLife = &record == context_.freed;
  if (kind == EventKind::alloc || (kind == EventKind::free && !endsLife)) return; // lifetimes, see objects.cpp
  if ((kind == EventKind::lock || kind == EventKind::unlock) && !mutexEvent(record.object, kind)) return;
  if (kind == EventKind::trylock && record.result == 0 && !mutexEvent(record.object, kind)) return;
  if (kind == EventKind::waitBegin) mutexEvent(record.argument, EventKind::unlock);
  RawEvent& event = addEvent(endsLife ? EventKind::write : kind, step ? step->instruction : nullptr);
  if (endsLife) {
    RawPart part;
    part.address = record.object;
    part.size = 1;
    part.written = context_.exprs.constant(0, 8);
    part.isLife = true;
    event.parts.push_back(part);
  }
  event.tail = record.timestamp > context_.failureTime;
  event.timestamp = record.timestamp;
  event.address = record.object;
  if (kind == EventKind::fork || kind == EventKind::join) event.peerSerial = uint32_t(record.argument);
  if (kind == EventKind::waitBegin) event.mutex = record.argument;
  if (kind == EventKind::semInit || kind == EventKind::barrierArrive)
    event.outcome = uint32_t(record.argument);
  else
    event.outcome = record.result == 0 ? 0 : 1;
  event.variable = (endsLife ? "life of " : "") + nameOfSyncObject(record.object, step);
  if (kind == EventKind::failure && step) failureHere(*step);
  if (kind == EventKind::exit && exiting_) {
    forgetSince(exit_, event);
    result_.failureEvent = result_.events.size() - 1;
    ended_ = true;
  }
}

// It was begun and never ended, but the thread went on: with its cleanup.
bool ThreadExecutor::wasCancelledIn(const format::OpRecord& record) const {
  return record.state == format::OpState::intent && isAcquisition(EventKind(record.kind)) &&
         nextOp_ < log_.ops.size() && !crashIsNext();
}

void ThreadExecutor::requestTaken(const format::OpRecord& record, const Step* step) {
  RawEvent& event = addEvent(EventKind::semWait, step ? step->instruction : nullptr);
  event.timestamp = record.timestamp;
  event.address = format::cancellationOf(log_.serial);
}

// The thread never came out of this operation. If that is the failure, and it would have waited for ever, it is a
// pending event.
void ThreadExecutor::endsIn(const format::OpRecord& record, const Step* step) {
  const EventKind kind = EventKind(record.kind);
  ended_ = true;
  if (!context_.endsWaiting || !canWait(kind)) return;
  const uint64_t mutex = kind == EventKind::wake && !result_.events.empty() ? result_.events.back().mutex : 0;
  RawEvent& event = addEvent(kind, step ? step->instruction : nullptr);
  event.tail = false;
  event.pending = true;
  event.bystander = record.timed;
  event.timestamp = record.timestamp;
  event.address = record.object;
  event.mutex = mutex;
  if (kind == EventKind::join) event.peerSerial = uint32_t(record.argument);
  event.variable = nameOfSyncObject(record.object, step);
}

// main returns, or exit() is called, with a status that makes the run a failure: the bug condition is that the
// status differs from the expected one or, if it was chosen by a branch, that branch.
void ThreadExecutor::exitHere(const Step& step, const Scalar& status) {
  if (!context_.expectedExit || exiting_) return;
  exiting_ = true;
  result_.failureAt = step.instruction;
  if (status.isSymbolic()) {
    ExprPool& exprs = context_.exprs;
    const ExprId low = exprs.extract(status.expr, 0, 8); // what the parent process sees
    const ExprId expected = exprs.constant(uint64_t(*context_.expectedExit), 8);
    result_.bug = {exprs.negate(exprs.binary(ExprOp::eq, low, expected))};
  } else {
    result_.bug = takeFailingCheck(result_.conditions, result_.events, withCallers(*step.instruction));
  }
  exit_ = markHere(step);
}

std::vector<const Instruction*> ThreadExecutor::withCallers(const Instruction& at) const {
  std::vector<const Instruction*> chain{&at};
  for (size_t i = frames_.size(); i-- > 1;)
    chain.push_back(frames_[i - 1].plan->steps[frames_[i - 1].step].instruction);
  return chain;
}

bool ThreadExecutor::announces(const Step& step, const CallBase& call) const {
  if (!lastRecordOf(call)) return false;
  if (nextOp_ == 0) return true;
  const format::OpRecord& previous = log_.ops[nextOp_ - 1];
  return !(previous.state == format::OpState::intent && previous.site == step.site);
}

void ThreadExecutor::failureHere(const Step& step) {
  result_.failureEvent = result_.events.size() - 1;
  result_.failureAt = step.instruction;
  result_.bug = takeFailingCheck(result_.conditions, result_.events, withCallers(*step.instruction));
  ended_ = true;
}

} // namespace symbiosis
