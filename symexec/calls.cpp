// Calls: into instrumented functions, and out of them (with callbacks, sync operations and recorded results).
#include "symexec/executor.h"
#include "symexec/outside_functions.h"
#include "trace/sync_model.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>

using namespace llvm;

namespace symbiosis {

bool ThreadExecutor::call(const Step& step, const CallBase& call) {
  if (const auto* intrinsicCall = dyn_cast<IntrinsicInst>(&call)) {
    const bool goesOn = intrinsic(step, *intrinsicCall);
    arithmetic_.loseResultIfLost(step);
    stack_.top().step += goesOn;
    return goesOn;
  }
  if (step.isReport) failure_.noteReport(step);
  if (call.isInlineAsm()) {
    if (!call.getType()->isVoidTy()) takeScalars(call.getType(), result(step));
    if (step.isText) text_.learnOperand(step);
    ++stack_.top().step;
    return true;
  }
  if (step.site) return callOutside(step, call);
  arguments_.clear();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar* value = operand(step, i);
    if (call.isByValArgument(i)) {
      const uint64_t size = context_.planner.layouts.allocSize(call.getParamByValType(i));
      arguments_.push_back({.bits = memory_.copyOf(arithmetic_.requiredAddress(*value), size)});
      continue;
    }
    arguments_.insert(arguments_.end(), value, value + stack_.layoutOf(call.getArgOperand(i)->getType()).size());
  }
  enterFunction(*cast<Function>(call.getCalledOperand()->stripPointerCasts()), arguments_, &step);
  return true;
}

// Those that are about memory; the others only compute.
bool ThreadExecutor::intrinsic(const Step& step, const IntrinsicInst& call) {
  if (const auto* copy = dyn_cast<MemTransferInst>(&call)) return accesses_.copyMemory(step, *copy);
  if (const auto* fill = dyn_cast<MemSetInst>(&call)) return accesses_.fillMemory(step, *fill);
  switch (call.getIntrinsicID()) {
  case Intrinsic::lifetime_start: // another variable may have been there before
    if (const Scalar& slot = *operand(step, 1); slot.known && !slot.isSymbolic())
      if (const Range range = memory_.objectAt(slot.bits); range.begin == slot.bits)
        memory_.bytes.forget(range.begin, range.size);
    return true;
  case Intrinsic::threadlocal_address:
    takeScalars(call.getType(), result(step));
    memory_.fillThreadLocal(call.getArgOperand(0), result(step)->bits);
    return true;
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap: return false;
  default: arithmetic_.intrinsic(step, call); return true;
  }
}

// The call has returned: this was its last record, or it did nothing at all.
static bool isLastRecord(EventKind last, const format::OpRecord& record) {
  const EventKind kind = EventKind(record.kind);
  if (kind == EventKind::lock && record.argument) return false; // cancelled in it
  const bool initialises = last == EventKind::onceEnd || last == EventKind::onceBegin;
  const bool told = last == EventKind::join && kind == EventKind::write;
  return kind == last || told || kind == sync::ruleOf(last).attempt ||
         (initialises && kind == EventKind::oncePass) || (kind == EventKind::waitBegin && record.result != 0);
}

// A join may be followed by what it has told by its pointer.
bool ThreadExecutor::tellsMore(const Step& step, const format::OpRecord& record) const {
  if (EventKind(record.kind) != EventKind::join) return false;
  const format::OpRecord* next = operations_.at(step.site);
  return next && EventKind(next->kind) == EventKind::write;
}

// What the call did is in the logs: operations, functions that it called back, the way on which it was left.
bool ThreadExecutor::callOutside(const Step& step, const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const std::optional<uint64_t> marker = logs_.path.marker();
  const bool markerHere = marker && format::markerSite(*marker) == step.site;
  auto isMarked = [&](auto kind) { return markerHere && format::markerKind(*marker) == kind; };
  failure_.leavesAt(step);
  if (stack_.isBeforePoint(step)) {
    stack_.top().passed = &step;
    ++logs_.points;
  }
  if (callee && endsTheProcess(callee->getName())) failure_.exitsHere(step, *operand(step, 0));
  if (!callee && isMarked(format::kEntryMarker)) {
    // Through a pointer into instrumented code: the door has logged who was called.
    const Function* target = context_.snapshot.functions()[format::markerTarget(*marker)];
    const Scalar* pointer = stack_.valueOf(call.getCalledOperand());
    if (pointer && pointer->known && context_.addresses.functionAt(pointer->bits) == target)
      return enterThroughPointer(step, call, *target);
  }
  if (const format::OpRecord* record = operations_.at(step.site)) return takeOperation(step, call, *record);
  if (isMarked(format::kEntryMarker)) return enterFromOutside();
  // A thread that is cancelled in a call leaves it like an exception, or by a longjmp to its cleanup.
  if (isMarked(format::kLandingMarker)) {
    failure_.noteThrow();
    return unwind();
  }
  if (isMarked(format::kReturnMarker)) return returnToSetjmp(format::markerTarget(*marker));
  if (lastRecordOf(call)) return false; // blocked in it, or killed on the way
  return finishOutsideCall(step, call);
}

bool ThreadExecutor::takeOperation(const Step& step, const CallBase& call, const format::OpRecord& record) {
  const EventKind kind = EventKind(record.kind);
  // One that never ended may have crashed because of what was meant.
  const bool isMeant = isSync(kind) || operations_.endsLife(record);
  if (isMeant && record.state != format::OpState::intent) fixWhatIsMeant(step, call);
  if (!operations_.take(&step) || (kind == EventKind::exit && !failure_.isExiting())) return false;
  const bool crashed = record.state == format::OpState::intent && failure_.crashIsNext();
  if (operations_.wasCancelledIn(record)) return true;
  const std::optional<EventKind> last = lastRecordOf(call);
  if (last && isLastRecord(*last, record) && !tellsMore(step, record) && !crashed)
    return finishOutsideCall(step, call, &record);
  if (kind == EventKind::alloc && !record.inLibrary) return finishOutsideCall(step, call, &record);
  return true; // there may be more, or callbacks
}

// Where a pointer to a lock, a condition, a block that is freed or the like was read from shared memory, it is
// this object in every schedule of this path.
void ThreadExecutor::fixWhatIsMeant(const Step& step, const CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (const Scalar* argument = operand(step, i);
        call.getArgOperand(i)->getType()->isPointerTy() && argument->known && argument->isSymbolic())
      arithmetic_.concrete(*argument, 64);
}

bool ThreadExecutor::enterThroughPointer(const Step& step, const CallBase& call, const Function& target) {
  const size_t depth = stack_.depth();
  if (!enterFromOutside()) return false;
  Frame &caller = stack_[depth - 1], &entered = stack_[depth];
  entered.call = &step;
  if (target.getFunctionType() != call.getFunctionType() || target.isVarArg()) return true;
  // The caller's values are the same, and may be symbolic.
  Scalar* argument = entered.scalars.data();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const size_t count = stack_.layoutOf(call.getArgOperand(i)->getType()).size();
    const Scalar* computed = CallStack::scalarAt(caller, caller.plan->operands[step.operands + i]);
    for (size_t word = 0; word < count && !call.isByValArgument(i); ++word)
      argument[word] = ScalarMath::merged(argument[word], computed[word]);
    argument += count;
  }
  return true;
}

bool ThreadExecutor::finishOutsideCall(const Step& step, const CallBase& call, const format::OpRecord* returned) {
  failure_.cameBack();
  if (call.doesNotReturn()) {
    stack_.clear(); // pthread_exit, exit, abort: what follows happens outside
    return true;
  }
  if (context_.end.isWaiting && logs_.waitsIn(step)) {
    operations_.waitsOutside(step);
    return false;
  }
  const bool used = !call.use_empty();
  const bool unsure = logs_.mayNotHaveReturned(step);
  if (unsure && used && !(returned && returned->state == format::OpState::done)) return false;
  if (!call.getType()->isVoidTy()) {
    takeScalars(call.getType(), result(step));
    // The last value may not have been logged any more.
    const std::vector<ScalarLayout>& layout = stack_.layoutOf(call.getType());
    if (unsure && returned && layout.size() == 1) {
      const bool isAllocation = EventKind(returned->kind) == EventKind::alloc;
      result(step)->bits = (isAllocation ? returned->object : uint64_t(returned->result)) & maskOf(layout[0].bits);
    }
  }
  outside_.usesArguments(step, call, returned);
  if (step.point)
    text_.lookAt(step, call);
  else if (!values_->logsEverything())
    outside_.writesMemory(step, call);
  outside_.noteUnmodelled(step, call);
  return goOnAfter(step);
}

} // namespace symbiosis
