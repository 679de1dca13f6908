#include "symexec/executor.h"
#include "symexec/library_names.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {

ThreadExecutor::ThreadExecutor(ExecutionContext& context, const ThreadLog& log)
    : context_(context), log_(log), cursor_(log.path), memory_(context.exprs) {}

void ThreadExecutor::advance() {
  if (!frames_.empty()) {
    if (!step()) ended_ = true;
    return;
  }
  // Outside of all instrumented code: the runtime's own ops (start, exit), then the next function that is
  // entered.
  if (nextOp_ < log_.ops.size() && log_.ops[nextOp_].wordOffset == cursor_.wordOffset() &&
      log_.ops[nextOp_].word == cursor_.word()) {
    if (crashIsNext()) {
      endedBySignal(nullptr);
      ended_ = true;
      return;
    }
    takeOp(log_.ops[nextOp_++], nullptr);
  } else if (std::optional<uint64_t> marker = cursor_.marker();
             marker && format::markerKind(*marker) == format::kInterruptionMarker) {
    cursor_.skipMarker(); // a handler; where its thread stood is not needed here
  } else if (!enterFromOutside()) {
    ended_ = true;
  }
}

ThreadEvents ThreadExecutor::run() {
  while (!ended_) advance();
  if (!cursor_.atEnd() && !result_.failureEvent && frames_.empty())
    fail("the recorded path goes on where the program cannot", nullptr);
  for (auto& [mutex, depth] : held_) result_.heldMutexes.push_back(mutex);
  return std::move(result_);
}

std::string ThreadExecutor::lineOf(const Instruction* at) const {
  // The innermost place in the user's own code.
  for (const Instruction* instruction : withCallers(*at))
    for (const DILocation* place = instruction->getDebugLoc(); place; place = place->getInlinedAt())
      if (place->getLine() != 0 && !isLibraryCode(place->getScope()->getSubprogram()))
        return fmt::format("at {}:{}", place->getFilename().str(), place->getLine());
  const DebugLoc& location = at->getDebugLoc();
  if (!location) return fmt::format("in {} (compile with -g to see the line)", at->getFunction()->getName().str());
  return fmt::format("at {}:{}", location->getFilename().str(), location.getLine());
}

std::string ThreadExecutor::placeOf(const Instruction* at) {
  std::string text;
  if (const DebugLoc& location = at->getDebugLoc())
    text = fmt::format(" at {}:{}", location->getFilename().str(), location.getLine());
  std::string instruction;
  raw_string_ostream stream(instruction);
  at->print(stream);
  return text + fmt::format(" ({}:{})", at->getFunction()->getName().str(), instruction);
}

void ThreadExecutor::fail(const std::string& what, const Instruction* at) const {
  throw ExecutionError(fmt::format("thread {}: {}{}", log_.id, what, at ? placeOf(at) : ""));
}

bool ThreadExecutor::enterFromOutside() {
  std::optional<uint64_t> marker = cursor_.marker();
  if (!marker || format::markerKind(*marker) != format::kEntryMarker) return false;
  const uint32_t number = format::markerTarget(*marker);
  if (number >= context_.snapshot.functions().size() ||
      !context_.snapshot.isInstrumented(*context_.snapshot.functions()[number]))
    fail(fmt::format("the path log enters function {}, which the program does not have", number), nullptr);
  cursor_.skipMarker();
  const Function& function = *context_.snapshot.functions()[number];
  std::vector<Scalar> arguments;
  for (const Argument& argument : function.args()) {
    std::vector<Scalar> value(layoutOf(argument.getType()).size());
    takeScalars(argument.getType(), value.data());
    arguments.insert(arguments.end(), value.begin(), value.end());
  }
  // The last constructor-like function before the thread's own work is not its name; main and start routines are
  // entered once, so the latest entry from an empty stack before any fork is the best one.
  if (frames_.empty() && (result_.startFunction.empty() || function.getName() == "main"))
    result_.startFunction = function.getName().str();
  enterFunction(function, arguments, nullptr);
  return true;
}

void ThreadExecutor::enterFunction(const Function& function, std::span<const Scalar> arguments, const Step* call) {
  constexpr size_t kDeepest = 100000;
  if (frames_.size() > kDeepest) fail("more than 100,000 nested calls", nullptr);
  Frame next;
  next.plan = &context_.planner.plan(function);
  if (!spareScalars_.empty()) {
    next.scalars = std::move(spareScalars_.back());
    spareScalars_.pop_back();
  }
  next.scalars.assign(next.plan->scalars, {});
  const size_t fixed = std::min<size_t>(next.plan->arguments, arguments.size());
  std::copy_n(arguments.begin(), fixed, next.scalars.begin());
  next.variadic.assign(arguments.begin() + ptrdiff_t(fixed), arguments.end());
  next.call = call;
  next.instance = ++frameInstances_;
  next.firstStackObject = live_.size();
  next.privateTop = privateTop_;
  frames_.push_back(std::move(next));
  enterBlock(uint32_t{0});
}

void ThreadExecutor::enterBlock(const BasicBlock* block) { enterBlock(frame().plan->blockIndex.at(block)); }

void ThreadExecutor::enterBlock(uint32_t index) {
  Frame& f = frame();
  const BlockPlan& block = f.plan->blocks[index];
  if (!block.moves.empty()) copyPhis(block, f.block);
  f.block = index;
  f.step = block.firstStep;
}

// All phis read before any is written.
void ThreadExecutor::copyPhis(const BlockPlan& target, uint32_t from) {
  const PhiMoves& moves = *std::find_if(target.moves.begin(), target.moves.end(),
                                        [&](const PhiMoves& candidate) { return candidate.from == from; });
  Frame& f = frame();
  phiValues_.clear();
  for (const auto& [value, result] : moves.scalars) phiValues_.push_back(*scalarAt(f, value));
  for (size_t i = 0; i < moves.scalars.size(); ++i) f.scalars[moves.scalars[i].second] = phiValues_[i];
}

const Scalar* ThreadExecutor::valueOf(const Value* value) const { return valueIn(frames_.back(), value); }

const Scalar* ThreadExecutor::valueIn(const Frame& f, const Value* value) {
  auto known = f.plan->scalarOf.find(value);
  if (known == f.plan->scalarOf.end()) return nullptr;
  return scalarAt(f, known->second);
}

void ThreadExecutor::leaveFunction(const Scalar* value, size_t count) {
  Frame left = std::move(frames_.back());
  frames_.pop_back();
  for (size_t i = left.firstStackObject; i < live_.size(); ++i) {
    result_.stackObjects[live_[i]].notAfter = latestNow();
    result_.stackObjects[live_[i]].endIndex = pointIndex_;
  }
  live_.resize(left.firstStackObject);
  privateTop_ = left.privateTop;
  spareScalars_.push_back(std::move(left.scalars));
  if (!left.call || frames_.empty()) return; // a callback: the call that led here goes on
  if (value && !left.call->instruction->getType()->isVoidTy()) {
    // A call through a pointer has its result logged; what we computed is the same, and may be symbolic.
    Scalar* out = result(*left.call);
    if (left.call->site) takeScalars(left.call->instruction->getType(), out);
    for (size_t i = 0; i < count; ++i) out[i] = left.call->site ? merged(out[i], value[i]) : value[i];
  }
  goOnAfter(*left.call);
}

bool ThreadExecutor::goOnAfter(const Step& call) {
  if (call.round && !cursor_.bit()) {
    ended_ = true;
    return false;
  }
  ++frame().step;
  if (const auto* invoke = dyn_cast<InvokeInst>(call.instruction)) enterBlock(invoke->getNormalDest());
  return true;
}

bool ThreadExecutor::step() {
  ++context_.stats.instructions;
  Frame& f = frame();
  const Step& step = f.plan->steps[f.step];
  const Instruction& instruction = *step.instruction;
  if (crashIsNext() && crashesHere(step)) {
    crashHere(step);
    return false;
  }
  switch (step.opcode) {
  case Instruction::Ret: {
    const Value* value = cast<ReturnInst>(instruction).getReturnValue();
    SmallVector<Scalar, 4> copy;
    if (value) {
      const Scalar* scalars = operand(step, 0);
      copy.assign(scalars, scalars + layoutOf(value->getType()).size());
    }
    if (frames_.size() == 1 && value && f.plan->function->getName() == "main") exitHere(step, copy[0]);
    leaveFunction(value ? copy.data() : nullptr, copy.size());
    return true;
  }
  case Instruction::Br: return branch(step, cast<BranchInst>(instruction));
  case Instruction::Switch: return switchOver(step, cast<SwitchInst>(instruction));
  case Instruction::Resume: return unwind();
  case Instruction::Unreachable: return false;
  case Instruction::Call:
  case Instruction::Invoke: return call(step, cast<CallBase>(instruction));
  default:
    operate(step);
    if (lost_) loseResult(step);
    if (!ended_) ++frame().step;
    return !ended_;
  }
}

bool ThreadExecutor::branch(const Step& step, const BranchInst& branch) {
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) {
    if (step.round && !cursor_.bit()) return false;
    enterBlock(frame().plan->targets[step.targets]);
    return true;
  }
  std::optional<bool> taken = cursor_.bit();
  if (!taken) return false;
  const Scalar condition = *operand(step, 0);
  if (condition.isSymbolic())
    addCondition(*taken ? condition.expr : context_.exprs.negate(condition.expr), true, &branch,
                 branch.getSuccessor(*taken ? 1 : 0));
  const bool isCertain = condition.known && (context_.level != format::Level::path ||
                                             (!context_.discovering && !condition.isSymbolic()));
  if (isCertain && (condition.bits & 1) != uint64_t(*taken)) {
    if (context_.level != format::Level::full)
      throw NotRecorded(
          fmt::format("thread {}: the branch {} went otherwise than the memory that it depends on says; "
                      "somebody has changed it who is not in the recording, and level {} does not tell "
                      "what was read; profile again with --record full",
                      log_.id, lineOf(&branch), format::levelName(context_.level)));
    fail(fmt::format("the recorded path takes the {} side, but the recorded values say otherwise",
                     *taken ? "true" : "false"),
         &branch);
  }
  enterBlock(frame().plan->targets[step.targets + (*taken ? 0 : 1)]);
  return true;
}

bool ThreadExecutor::switchOver(const Step& step, const SwitchInst& choice) {
  SmallSetVector<const BasicBlock*, 8> targets;
  for (const BasicBlock* successor : successors(&choice)) targets.insert(successor);
  std::optional<uint32_t> index = cursor_.bits(Log2_32_Ceil(targets.size()));
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
    addCondition(isDefault ? exprs.negate(any) : any, true, &choice);
  }
  enterBlock(target);
  return true;
}

// An exception is on its way: the marker names the pad at which it arrives.
bool ThreadExecutor::unwind() {
  // The unwinder has locks and initialisers of its own.
  while (nextOp_ < log_.ops.size() && log_.ops[nextOp_].wordOffset == cursor_.wordOffset() &&
         log_.ops[nextOp_].word == cursor_.word() && EventKind(log_.ops[nextOp_].kind) != EventKind::exit)
    takeOp(log_.ops[nextOp_++], nullptr);
  std::optional<uint64_t> marker = cursor_.marker();
  if (!marker || format::markerKind(*marker) != format::kLandingMarker) {
    frames_.clear(); // it left instrumented code for good
    return true;
  }
  const BasicBlock* pad = context_.snapshot.block(format::markerTarget(*marker));
  auto waitsFor = [&](const Frame& f) {
    const auto* invoke = dyn_cast<InvokeInst>(f.plan->steps[f.step].instruction);
    return pad && invoke && invoke->getUnwindDest() == pad;
  };
  while (!frames_.empty() && !waitsFor(frames_.back())) {
    frames_.back().call = nullptr; // returns to nobody
    leaveFunction(nullptr, 0);
  }
  if (frames_.empty()) fail("an exception arrives at a landing pad that no active call has", nullptr);
  cursor_.skipMarker();
  enterBlock(pad);
  // The landing pad's two values were logged on arrival.
  const auto* landing = pad->getLandingPadInst();
  takeScalars(landing->getType(), &frame().scalars[frame().plan->scalarOf.at(landing)]);
  return true;
}

// setjmp returns, for the first time or after a longjmp: the innermost frame that contains its call goes on there.
bool ThreadExecutor::returnToSetjmp(uint32_t site) {
  const CallBase* call = context_.snapshot.callAt(site);
  if (!call) fail("setjmp returns to a call that the program does not have", nullptr);
  while (!frames_.empty() && frames_.back().plan->function != call->getFunction()) {
    frames_.back().call = nullptr;
    leaveFunction(nullptr, 0);
  }
  if (frames_.empty()) fail("setjmp returns into a function that is not active", call);
  cursor_.skipMarker();
  Frame& f = frame();
  f.block = f.plan->blockIndex.at(call->getParent());
  f.step = f.plan->blocks[f.block].firstStep;
  while (f.plan->steps[f.step].instruction != call) ++f.step;
  return finishOutsideCall(f.plan->steps[f.step], *call);
}

const uint8_t* ThreadExecutor::takeValues(uint64_t size) {
  const size_t at = nextValue_;
  nextValue_ += size;
  if (nextValue_ <= log_.values.size()) return reinterpret_cast<const uint8_t*>(log_.values.data()) + at;
  if (log_.valuesDropped)
    throw NotRecorded(fmt::format("thread {}: its values past the limit were dropped; profile again with a larger "
                                  "--value-limit, or at a lower level (--record)",
                                  log_.id));
  // Zeros follow the last byte that is not zero.
  pastEnd_.assign(size, 0);
  if (at < log_.values.size()) log_.values.copy(pastEnd_.data(), log_.values.size() - at, at);
  return reinterpret_cast<const uint8_t*>(pastEnd_.data());
}

void ThreadExecutor::takeScalars(Type* type, Scalar* out) {
  const uint8_t* bytes = takeValues(context_.planner.layouts.storeSize(type));
  for (const ScalarLayout& scalar : layoutOf(type)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + scalar.offset, scalar.bytes);
    *out++ = {.bits = bits & maskOf(scalar.bits)};
  }
}

// The time stamp before which all that has been walked must have happened.
uint64_t ThreadExecutor::latestNow() const {
  for (size_t at = nextOp_; at < log_.ops.size(); ++at)
    if (!log_.ops[at].coarse) return log_.ops[at].timestamp;
  return ~uint64_t{0};
}

RawEvent& ThreadExecutor::addEvent(EventKind kind, const Instruction* at) {
  RawEvent event;
  event.index = pointIndex_;
  event.kind = kind;
  event.instruction = at;
  event.notBefore = lastTimestamp_;
  event.notAfter = latestNow();
  event.tail = isTail() || event.notAfter > context_.failureTime;
  for (size_t i = 0; i + 1 < frames_.size(); ++i)
    event.callers.push_back(frames_[i].plan->steps[frames_[i].step].instruction);
  result_.events.push_back(std::move(event));
  return result_.events.back();
}

void ThreadExecutor::addCondition(ExprId expr, bool isBranch, const Instruction* at, const BasicBlock* otherSide) {
  if (context_.exprs.isConstant(expr) || context_.unknowns.isFixed(expr)) return;
  if (!context_.unknowns.isUsable(expr))
    throw NotRecorded(
        fmt::format("thread {}: what is decided {} depends on shared memory and on a value that level {} "
                    "does not record; profile again with --record full",
                    log_.id, lineOf(at), format::levelName(context_.level)));
  // What holds once holds for good; but a branch may be the failing check, so those stay.
  if (!isBranch && !fixed_.insert(expr).second) return;
  assert(!result_.events.empty() && "a symbolic value without a read");
  result_.conditions.push_back(
      {expr, result_.events.size() - 1, isBranch, at, otherSide, isBranch ? statementOf(at) : nullptr});
}

ThreadExecutor::CallMark ThreadExecutor::markHere(const Step& step) const {
  return {&step,
          frames_.back().instance,
          result_.events.size(),
          result_.conditions.size(),
          result_.unmodelled.size(),
          pointIndex_,
          nullptr};
}

const DILocation* ThreadExecutor::statementOf(const Instruction* at, uint64_t* frame) const {
  for (size_t depth = frames_.size(); depth-- > 0;) {
    if (frame) *frame = frames_[depth].instance;
    for (const DILocation* place = at->getDebugLoc(); place; place = place->getInlinedAt())
      if (!isLibraryCode(place->getScope()->getSubprogram())) return place;
    if (depth > 0) at = frames_[depth - 1].plan->steps[frames_[depth - 1].step].instruction;
  }
  return nullptr;
}

// In a member function of a library, `this` says nothing: its callers know what they called it for.
std::string ThreadExecutor::nameOf(const Value* pointer, const Instruction* at, uint64_t size) {
  std::string name = nameIn(frames_.back(), pointer, at, size);
  for (size_t depth = frames_.size() - 1;
       depth > 0 && isLibraryCode(frames_[depth].plan->function->getSubprogram()); --depth) {
    const bool isItself = name == "this" || name == "*this";
    if (!isItself && !name.starts_with("this->")) break;
    const Frame& caller = frames_[depth - 1];
    const auto* call = dyn_cast<CallBase>(caller.plan->steps[caller.step].instruction);
    if (!call || call->arg_empty()) break;
    std::string object = nameIn(caller, call->getArgOperand(0), call, ~uint64_t{0}); // as a whole
    if (object.empty()) break;
    if (object == "*this") object = "this";
    name = isItself ? object
                    : object + (object == "this" ? "->" : ".") + name.substr(std::string_view("this->").size());
  }
  return withoutLibraryParts(name);
}

std::string ThreadExecutor::nameIn(const Frame& frame, const Value* pointer, const Instruction* at,
                                   uint64_t size) {
  return context_.names.nameOf(pointer, at, size, [&](const Value* value) -> std::optional<int64_t> {
    const Scalar* scalar = valueIn(frame, value);
    if (!scalar || !scalar->known || !value->getType()->isIntegerTy() ||
        value->getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    return signExtend(scalar->bits, value->getType()->getIntegerBitWidth());
  });
}

} // namespace symbiosis
