#include "symexec/executor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

ThreadExecutor::ThreadExecutor(WalkContext& context, const ThreadLog& log)
    : context_(context), logs_(log), stack_(context, logs_), events_(context, logs_, stack_),
      arithmetic_(context, stack_, events_), memory_(context, logs_, stack_, arithmetic_, events_),
      values_(ValueSource::make(context, logs_, stack_, arithmetic_, memory_)),
      accesses_(context, logs_, stack_, arithmetic_, events_, memory_, *values_),
      outside_(context, stack_, arithmetic_, events_, memory_, *values_),
      text_(context, logs_, stack_, arithmetic_, events_, memory_, *values_, accesses_),
      failure_(context, logs_, stack_, arithmetic_, events_),
      operations_(context, logs_, stack_, events_, memory_, *values_, failure_) {
  if (context.keepsMarks && !context.discovering) logs_.path.keepMarks(events_.result.marks);
}

void ThreadExecutor::advance() {
  if (!stack_.empty()) {
    ended_ = !step();
  } else if (logs_.operationHere()) {
    // Outside of all instrumented code: the runtime's own operations (start, exit), then the next function that is
    // entered.
    if (failure_.crashIsNext()) {
      failure_.endedBySignal(nullptr);
      ended_ = true;
    } else {
      ended_ = !operations_.take(nullptr);
    }
  } else if (std::optional<uint64_t> marker = logs_.path.marker();
             marker && format::markerKind(*marker) == format::kInterruptionMarker) {
    logs_.path.skipMarker(); // a handler; where its thread stood is not needed here
  } else {
    ended_ = !enterFromOutside();
  }
}

ThreadEvents ThreadExecutor::run() {
  while (!ended_) advance();
  if (!logs_.path.atEnd() && !events_.result.failureEvent && stack_.empty())
    stack_.fail("the recorded path goes on where the program cannot", nullptr);
  events_.settleUses();
  events_.result.heldMutexes = operations_.heldMutexes();
  return std::move(events_.result);
}

bool ThreadExecutor::enterFromOutside() {
  std::optional<uint64_t> marker = logs_.path.marker();
  if (!marker || format::markerKind(*marker) != format::kEntryMarker) return false;
  const uint32_t number = format::markerTarget(*marker);
  if (number >= context_.snapshot.functions().size() ||
      !context_.snapshot.isInstrumented(*context_.snapshot.functions()[number]))
    stack_.fail(fmt::format("the path log enters function {}, which the program does not have", number), nullptr);
  logs_.path.skipMarker();
  const Function& function = *context_.snapshot.functions()[number];
  std::vector<Scalar> arguments;
  for (const Argument& argument : function.args()) {
    std::vector<Scalar> value(stack_.layoutOf(argument.getType()).size());
    takeScalars(argument.getType(), value.data());
    arguments.insert(arguments.end(), value.begin(), value.end());
  }
  // A thread is called by its start routine, the first function that it enters; but before main there are the
  // constructors of globals.
  if (stack_.empty() && (events_.result.startFunction.empty() || function.getName() == "main"))
    events_.result.startFunction = function.getName().str();
  enterFunction(function, arguments, nullptr);
  return true;
}

void ThreadExecutor::enterFunction(const Function& function, std::span<const Scalar> arguments, const Step* call) {
  memory_.enterFrame(stack_.push(function, arguments, call));
  enterBlock(uint32_t{0});
}

void ThreadExecutor::enterBlock(const BasicBlock* block) { enterBlock(stack_.top().plan->blockIndex.at(block)); }

void ThreadExecutor::enterBlock(uint32_t index) {
  Frame& f = stack_.top();
  const BlockPlan& block = f.plan->blocks[index];
  if (!block.moves.empty()) copyPhis(block, f.block);
  f.block = index;
  f.step = block.firstStep;
  f.passed = nullptr;
}

// All phis read before any is written.
void ThreadExecutor::copyPhis(const BlockPlan& target, uint32_t from) {
  const PhiMoves& moves = *std::find_if(target.moves.begin(), target.moves.end(),
                                        [&](const PhiMoves& candidate) { return candidate.from == from; });
  Frame& f = stack_.top();
  phiValues_.clear();
  for (const auto& [value, result] : moves.scalars) phiValues_.push_back(*CallStack::scalarAt(f, value));
  for (size_t i = 0; i < moves.scalars.size(); ++i) f.scalars[moves.scalars[i].second] = phiValues_[i];
}

void ThreadExecutor::leaveFunction(const Scalar* value, size_t count) {
  const Frame left = stack_.pop();
  memory_.leaveFrame(left);
  if (!left.call || stack_.empty()) return; // a callback: the call that led here goes on
  if (value && !left.call->instruction->getType()->isVoidTy()) {
    // A call through a pointer has its result logged; what we computed is the same, and may be symbolic.
    Scalar* out = result(*left.call);
    if (left.call->site) takeScalars(left.call->instruction->getType(), out);
    for (size_t i = 0; i < count; ++i) out[i] = left.call->site ? ScalarMath::merged(out[i], value[i]) : value[i];
  }
  ended_ = !goOnAfter(*left.call);
}

bool ThreadExecutor::goOnAfter(const Step& call) {
  if (call.round && !logs_.path.bit()) return false; // it was cut off there
  ++stack_.top().step;
  stack_.top().passed = nullptr;
  if (const auto* invoke = dyn_cast<InvokeInst>(call.instruction)) enterBlock(invoke->getNormalDest());
  return true;
}

bool ThreadExecutor::step() {
  ++context_.stats.instructions;
  const Step& step = stack_.top().current();
  const Instruction& instruction = *step.instruction;
  if (failure_.crashIsNext() && failure_.crashesHere(step)) {
    failure_.crashHere(step);
    return false;
  }
  switch (step.opcode) {
  case Instruction::Ret: return returnFrom(step, cast<ReturnInst>(instruction));
  case Instruction::Br: return branch(step, cast<BranchInst>(instruction));
  case Instruction::Switch: return switchOver(step, cast<SwitchInst>(instruction));
  case Instruction::Resume: return unwind();
  case Instruction::Unreachable: return false;
  case Instruction::Call:
  case Instruction::Invoke: return call(step, cast<CallBase>(instruction));
  default: break;
  }
  if (!execute(step)) return false;
  arithmetic_.loseResultIfLost(step);
  ++stack_.top().step;
  return true;
}

bool ThreadExecutor::execute(const Step& step) {
  const Instruction& instruction = *step.instruction;
  switch (step.opcode) {
  case Instruction::Load: return accesses_.load(step, cast<LoadInst>(instruction));
  case Instruction::Store: return accesses_.store(step, cast<StoreInst>(instruction));
  case Instruction::AtomicRMW: return accesses_.readModifyWrite(step, cast<AtomicRMWInst>(instruction));
  case Instruction::AtomicCmpXchg: return accesses_.compareExchange(step, cast<AtomicCmpXchgInst>(instruction));
  case Instruction::Fence: logs_.points += step.point; return true;
  case Instruction::Alloca: {
    const Range slot = memory_.allocate(step, cast<AllocaInst>(instruction));
    if (!ThreadMemory::isPrivate(slot.begin)) values_->slotBegins(slot);
    *result(step) = {.bits = slot.begin};
    return true;
  }
  default: arithmetic_.operate(step); return true;
  }
}

bool ThreadExecutor::returnFrom(const Step& step, const ReturnInst& instruction) {
  const Value* value = instruction.getReturnValue();
  SmallVector<Scalar, 4> copy;
  if (value) {
    const Scalar* scalars = operand(step, 0);
    copy.assign(scalars, scalars + stack_.layoutOf(value->getType()).size());
  }
  if (stack_.depth() == 1 && value && stack_.top().plan->function->getName() == "main")
    failure_.exitsHere(step, copy[0]);
  leaveFunction(value ? copy.data() : nullptr, copy.size());
  return !ended_;
}

bool ThreadExecutor::branch(const Step& step, const BranchInst& branch) {
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) {
    if (step.round && !logs_.path.bit()) return false;
    enterBlock(stack_.top().plan->targets[step.targets]);
    return true;
  }
  std::optional<bool> taken = logs_.path.bit();
  if (!taken) return false;
  const Scalar condition = *operand(step, 0);
  if (condition.isSymbolic())
    events_.addCondition(*taken ? condition.expr : context_.exprs.negate(condition.expr), true, &branch,
                         branch.getSuccessor(*taken ? 1 : 0));
  if ((condition.bits & 1) != uint64_t(*taken) && values_->isCertain(condition)) wentOtherwise(branch, *taken);
  enterBlock(stack_.top().plan->targets[step.targets + (*taken ? 0 : 1)]);
  return true;
}

void ThreadExecutor::wentOtherwise(const BranchInst& branch, bool taken) const {
  if (!values_->logsEverything())
    throw NotRecorded(
        fmt::format("thread {}: the branch {} went otherwise than the memory that it depends on says; "
                    "somebody has changed it who is not in the recording, and level {} does not tell "
                    "what was read; profile again with --record full",
                    logs_.id(), stack_.lineOf(&branch), format::levelName(context_.level)));
  stack_.fail(fmt::format("the recorded path takes the {} side, but the recorded values say otherwise",
                          taken ? "true" : "false"),
              &branch);
}

bool ThreadExecutor::switchOver(const Step& step, const SwitchInst& choice) {
  SmallSetVector<const BasicBlock*, 8> targets;
  for (const BasicBlock* successor : successors(&choice)) targets.insert(successor);
  std::optional<uint32_t> index = logs_.path.bits(Log2_32_Ceil(targets.size()));
  if (!index || *index >= targets.size()) return false;
  const BasicBlock* target = targets[*index];
  const Scalar value = *operand(step, 0);
  const unsigned width = choice.getCondition()->getType()->getIntegerBitWidth();
  if (value.isSymbolic()) {
    // One of the target's cases, or, if it is the default too, none of the cases of the others.
    ExprPool& exprs = context_.exprs;
    const bool isDefault = choice.getDefaultDest() == target;
    ExprId any = exprs.truth(false);
    for (const auto& option : choice.cases()) {
      if ((option.getCaseSuccessor() == target) == isDefault) continue;
      any = exprs.binary(
          ExprOp::bitOr, any,
          exprs.binary(ExprOp::eq, value.expr, exprs.constant(option.getCaseValue()->getZExtValue(), width)));
    }
    events_.addCondition(isDefault ? exprs.negate(any) : any, true, &choice);
  }
  enterBlock(target);
  return true;
}

// An exception is on its way: the marker names the pad at which it arrives.
bool ThreadExecutor::unwind() {
  // The unwinder has locks and initialisers of its own.
  for (const format::OpRecord* next = logs_.operationHere(); next && EventKind(next->kind) != EventKind::exit;
       next = logs_.operationHere())
    if (!operations_.take(nullptr)) return false;
  std::optional<uint64_t> marker = logs_.path.marker();
  if (!marker || format::markerKind(*marker) != format::kLandingMarker) {
    stack_.clear(); // it left instrumented code for good
    return true;
  }
  const BasicBlock* pad = context_.snapshot.block(format::markerTarget(*marker));
  auto waitsFor = [&](const Frame& frame) {
    const auto* invoke = dyn_cast<InvokeInst>(frame.current().instruction);
    return pad && invoke && invoke->getUnwindDest() == pad;
  };
  while (!stack_.empty() && !waitsFor(stack_.top())) {
    stack_.top().call = nullptr; // returns to nobody
    leaveFunction(nullptr, 0);
  }
  if (stack_.empty()) stack_.fail("an exception arrives at a landing pad that no active call has", nullptr);
  logs_.path.skipMarker();
  enterBlock(pad);
  // The landing pad's two values were logged on arrival.
  const auto* landing = pad->getLandingPadInst();
  Frame& frame = stack_.top();
  takeScalars(landing->getType(), &frame.scalars[frame.plan->scalarOf.at(landing)]);
  return true;
}

// setjmp returns, for the first time or after a longjmp: the innermost frame that contains its call goes on there.
bool ThreadExecutor::returnToSetjmp(uint32_t site) {
  const CallBase* call = context_.snapshot.callAt(site);
  if (!call) stack_.fail("setjmp returns to a call that the program does not have", nullptr);
  while (!stack_.empty() && stack_.top().plan->function != call->getFunction()) {
    stack_.top().call = nullptr;
    leaveFunction(nullptr, 0);
  }
  if (stack_.empty()) stack_.fail("setjmp returns into a function that is not active", call);
  logs_.path.skipMarker();
  Frame& frame = stack_.top();
  frame.block = frame.plan->blockIndex.at(call->getParent());
  frame.step = frame.plan->blocks[frame.block].firstStep;
  while (frame.current().instruction != call) ++frame.step;
  return finishOutsideCall(frame.current(), *call);
}

} // namespace symbiosis
