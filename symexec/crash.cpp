// Where a signal ended the thread, and why. The path log ends in the straight piece of code that faulted; the walk
// goes on from there until it meets the instruction that must have faulted: the first whose address range holds
// the address that the kernel reported, the first division by zero, the trap, or, if the fault came from outside
// of instrumented code, the call that was last left for it. In a controlled run the number of points must agree
// too.
//
// The bug condition (DESIGN §6) is what the fault says of the value that was used: the pointer lies in the null
// page, or in the page that is not there; its object has been freed, which is an event then; the divisor is zero.
// Where that value does not depend on other threads, and where the program ended itself (abort, trap, an uncaught
// exception), it is the check that led there.
#include "symexec/failure_finder.h"
#include "symexec/library_names.h"
#include "symexec/outside_functions.h"
#include "symexec/signal_names.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>

using namespace llvm;

namespace symbiosis {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kNullPages = 16 * kPage; // vm.mmap_min_addr: never mapped
constexpr int kGeneralProtection = 128;     // si_code SI_KERNEL: the kernel does not say which address

bool isTrap(const CallBase& call) {
  if (const auto* code = dyn_cast<InlineAsm>(call.getCalledOperand())) return code->getAsmString() == "int3";
  switch (call.getIntrinsicID()) {
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap: return true;
  default: return false;
  }
}

bool isCanonical(uint64_t address) { return uint64_t(int64_t(address << 16) >> 16) == address; }

bool holdsFault(const format::FailureRecord& failure, uint64_t address, uint64_t size) {
  if (failure.code == kGeneralProtection) return !isCanonical(address) || (size >= 16 && address % 16 != 0);
  return failure.address - address < size;
}

std::string calleeName(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return "a function pointer";
  const std::string mangled = callee->getName().str();
  ItaniumPartialDemangler parts;
  if (parts.partialDemangle(mangled.c_str()) || !parts.isFunction()) {
    const std::string name = demangle(mangled);
    return name.substr(0, name.find('('));
  }
  auto take = [](char* text) { // which is ours to free
    const std::string taken = text ? text : "";
    std::free(text);
    return taken;
  };
  const std::string scope = take(parts.getFunctionDeclContextName(nullptr, nullptr));
  const std::string base = take(parts.getFunctionBaseName(nullptr, nullptr));
  const std::string plain = scope.substr(0, scope.find('<')); // without template arguments
  return plain.empty() ? base : plain + "::" + base;
}

} // namespace

// The operand that is an address, and how many bytes are used there; empty: it uses no memory.
std::vector<FailureFinder::Used> FailureFinder::memoryUsed(const Step& step) const {
  TypeLayouts& layouts = context_.planner.layouts;
  const Instruction& at = *step.instruction;
  if (const auto* load = dyn_cast<LoadInst>(&at)) return {{0, layouts.storeSize(load->getType()), "read of"}};
  if (const auto* store = dyn_cast<StoreInst>(&at))
    return {{1, layouts.storeSize(store->getValueOperand()->getType()), "write of"}};
  if (isa<AtomicRMWInst>(at)) return {{0, layouts.storeSize(at.getType()), "update of"}};
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&at))
    return {{0, layouts.storeSize(exchange->getCompareOperand()->getType()), "update of"}};
  if (isa<MemTransferInst>(at))
    return {{0, operand(step, 2)->bits, "write of"}, {1, operand(step, 2)->bits, "read of"}};
  if (isa<MemSetInst>(at)) return {{0, operand(step, 2)->bits, "write of"}};
  std::vector<Used> looked; // by a function that only looks, which the runtime saw before the call: from there on
  const bool isNoticed = context_.end.failure && context_.end.failure->misuse != format::HeapMisuse::none;
  if (const auto* call = dyn_cast<CallBase>(&at); call && (step.point || step.given) && isNoticed)
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (call->getArgOperand(i)->getType()->isPointerTy()) looked.push_back({i, 1, "read of"});
  return looked;
}

bool FailureFinder::crashesHere(const Step& step) {
  const format::FailureRecord& failure = *context_.end.failure;
  const Instruction& at = *step.instruction;
  if (const auto* call = dyn_cast<CallBase>(&at)) {
    if (isTrap(*call)) return failure.inBody;
    // The runtime saw before the call what it was about to look at.
    const bool looksAtGone =
        (step.point || stack_.isBeforePoint(step)) && failure.inBody && failure.misuse != format::HeapMisuse::none;
    if (step.site && !looksAtGone)
      return !failure.inBody && logs_.operationHere()->site == step.site && !copiesAfter(step);
  }
  if (isa<UnreachableInst>(at)) return failure.inBody;
  if (failure.index != format::kNoIndex &&
      failure.index != logs_.points + (step.point || stack_.isBeforePoint(step)))
    return false;
  if (const auto* operation = dyn_cast<BinaryOperator>(&at); operation && operation->isIntDivRem())
    return failure.signal == SIGFPE && failure.inBody && dividesBadly(step, *operation);
  if (failure.signal != SIGSEGV && failure.signal != SIGBUS) return false;
  // A copy runs in a function of libc, but leaves no call site.
  if (!failure.inBody && !isa<MemIntrinsic>(at)) return false;
  for (const Used& used : memoryUsed(step))
    if (holdsFault(failure, operand(step, used.operand)->bits, used.size)) return true;
  return false;
}

bool FailureFinder::dividesBadly(const Step& step, const BinaryOperator& operation) const {
  const unsigned width = stack_.layoutOf(operation.getType())[0].bits;
  const uint64_t divisor = operand(step, 1)->bits & maskOf(width),
                 dividend = operand(step, 0)->bits & maskOf(width);
  const bool isSigned = operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::SRem;
  return divisor == 0 || (isSigned && divisor == maskOf(width) && dividend == uint64_t{1} << (width - 1));
}

// The call at `step` returned, and a copy behind it is what faulted.
bool FailureFinder::copiesAfter(const Step& step) const {
  const auto& call = cast<CallBase>(*step.instruction);
  if (call.isTerminator() || call.doesNotReturn()) return false;
  for (const Instruction* next = call.getNextNode(); next; next = next->getNextNode()) {
    if (const auto* other = dyn_cast<CallBase>(next); other && next->hasMetadata(kSiteMetadata)) return false;
    if (isa<MemIntrinsic>(next)) return usedAsArgument(step) == kNoArgument;
  }
  return false;
}

// The argument of the call at `step` that leads to the fault: the pointer that is nearest below the address.
unsigned FailureFinder::usedAsArgument(const Step& step) const {
  const format::FailureRecord& failure = *context_.end.failure;
  const auto& call = cast<CallBase>(*step.instruction);
  unsigned best = kNoArgument;
  uint64_t distance = kNullPages;
  if (failure.signal != SIGSEGV && failure.signal != SIGBUS && failure.misuse == format::HeapMisuse::none)
    return best;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy()) continue;
    const uint64_t pointer = operand(step, i)->bits;
    const uint64_t away =
        failure.code == kGeneralProtection ? (isCanonical(pointer) ? kNullPages : 0) : failure.address - pointer;
    if (away < distance) {
      distance = away;
      best = i;
    }
  }
  return best;
}

bool FailureFinder::announces(const Step& step, const CallBase& call) const {
  if (!lastRecordOf(call)) return false;
  const format::OpRecord* previous = logs_.previousOperation();
  return !(previous && previous->state == format::OpState::intent && previous->site == step.site);
}

// The pointer must lie where there is no memory; what is around the fault is as bad as the fault itself.
ExprId FailureFinder::isBadAddress(const Scalar& pointer) {
  const format::FailureRecord& failure = *context_.end.failure;
  ExprPool& exprs = context_.exprs;
  if (failure.code == kGeneralProtection)
    return exprs.binary(ExprOp::eq, pointer.expr, exprs.constant(pointer.bits, 64));
  if (failure.address < kNullPages) return exprs.binary(ExprOp::ult, pointer.expr, exprs.constant(kNullPages, 64));
  const ExprId page = exprs.constant(failure.address & ~(kPage - 1), 64);
  return exprs.binary(ExprOp::ult, exprs.binary(ExprOp::sub, pointer.expr, page), exprs.constant(kPage, 64));
}

std::string FailureFinder::describeCall(const Step& step, const CallBase& call, const Scalar*& guilty) const {
  const format::FailureRecord& failure = *context_.end.failure;
  const bool isNull = failure.address < kNullPages && failure.code != kGeneralProtection;
  const Scalar* callee = call.getCalledFunction() ? nullptr : stack_.valueOf(call.getCalledOperand());
  if (callee && callee->bits == failure.address && failure.signal != SIGABRT) {
    guilty = callee;
    return isNull ? "null pointer called" : fmt::format("call of bad address {:#x}", failure.address);
  }
  const unsigned argument = usedAsArgument(step);
  if (argument == kNoArgument) return fmt::format("in {}", calleeName(call));
  guilty = operand(step, argument);
  std::string name = stack_.nameOf(call.getArgOperand(argument), &call, 1);
  // `name` is what it points to.
  const bool isVariable = isa<LoadInst>(call.getArgOperand(argument)->stripPointerCasts());
  if (isVariable && failure.misuse != format::HeapMisuse::none)
    name = nameOfHolder(stack_.nameOf(call.getArgOperand(argument), &call, kWholeObject));
  name = name.starts_with("*") ? name.substr(1) : name.empty() ? "…" : isVariable ? name : "&" + name;
  if (failure.misuse != format::HeapMisuse::none) return fmt::format("{}({})", calleeName(call), name);
  return fmt::format("{}: {}({})", isNull ? "null pointer" : "bad pointer", calleeName(call), name);
}

// In words; `guilty` becomes the value that is to blame, if there is one.
std::string FailureFinder::describeCrash(const Step& step, const Scalar*& guilty) const {
  const Instruction& at = *step.instruction;
  const format::FailureRecord& failure = *context_.end.failure;
  for (const Used& used : memoryUsed(step)) {
    if (!holdsFault(failure, operand(step, used.operand)->bits, used.size)) continue;
    guilty = operand(step, used.operand);
    if (step.given) return describeCall(step, cast<CallBase>(at), guilty);
    const std::string name = stack_.nameOf(at.getOperand(used.operand), &at, used.size);
    const bool isNull = failure.address < kNullPages && failure.code != kGeneralProtection;
    const std::string what = fmt::format("{} {}", used.verb, name.empty() ? "memory" : name);
    if (!isNull && usesFreed(step, guilty)) return what; // the kind of the failure says why
    return fmt::format("{}: {}", isNull ? "null pointer" : fmt::format("bad address {:#x}", guilty->bits), what);
  }
  if (isa<BinaryOperator>(at)) {
    guilty = operand(step, 1);
    return guilty->bits == 0 ? "division by zero" : "a division whose result is too large";
  }
  const auto* call = dyn_cast<CallBase>(&at);
  if (call && step.site) return describeCall(step, *call, guilty);
  return call ? "trap instruction" : "code that cannot be reached";
}

bool FailureFinder::usesFreed(const Step& step, const Scalar* guilty) const {
  const bool isNoticed = context_.end.failure->misuse != format::HeapMisuse::none; // also in a call
  return context_.end.freed && guilty && (step.point || isNoticed) && guilty->known;
}

// What the step is about to use, or the block that it is about to free: `queue->lock`.
std::string FailureFinder::nameOfUsed(const Step& step, const Scalar* guilty) const {
  const Instruction& at = *step.instruction;
  for (const Used& used : memoryUsed(step))
    if (operand(step, used.operand) == guilty) return stack_.nameOf(at.getOperand(used.operand), &at, used.size);
  const auto& call = cast<CallBase>(at);
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (operand(step, i) == guilty)
      return context_.end.failure->misuse == format::HeapMisuse::doubleFree
                 ? nameOfHolder(stack_.nameOf(call.getArgOperand(i), &at, kWholeObject))
                 : stack_.nameOf(call.getArgOperand(i), &at, 1);
  return {};
}

// The access finds out whether its object still lives: an event that reads what `free` wrote (lives.h).
void FailureFinder::readLife(const Step& step, const Scalar& pointer, const std::string& used) {
  math_.concrete(pointer, 64); // it is this object's life that matters
  if (context_.discovering) return;
  const bool looks =
      isa<LoadInst>(step.instruction) ||
      ((step.point || step.given) && isa<CallBase>(step.instruction) && !isa<MemIntrinsic>(step.instruction));
  const EventKind kind = looks                                                     ? EventKind::read
                         : isa<AtomicRMWInst, AtomicCmpXchgInst>(step.instruction) ? EventKind::rmw
                                                                                   : EventKind::write;
  RawEvent& event = events_.add(kind, step.instruction);
  event.tail = false;
  // An acquisition was announced, and counted, before it was looked at.
  const format::OpRecord* announced = step.point || step.given ? nullptr : logs_.previousOperation();
  if (announced && announced->state == format::OpState::intent && announced->site == step.site) --event.index;
  const uint32_t symbol = context_.newSymbol(std::nullopt);
  event.parts.push_back(lookAtLife(symbol, *context_.end.freed));
  if (context_.end.failure->misuse == format::HeapMisuse::doubleFree) {
    event.kind = EventKind::rmw; // had the block been alive, this would have ended its life
    event.parts.back().written = context_.exprs.constant(0, 8);
  }
  event.variable = used;
  result_.bug = {isOver(context_.exprs, symbol)};
}

// A call that gave up on what it was given.
void FailureFinder::blameArguments(const Step& step, const CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Scalar& value = *operand(step, i);
    if (!value.isSymbolic()) continue;
    if (!value.known && !context_.discovering)
      throw NotRecorded(fmt::format("thread {}: the call {} failed, and level {} does not tell what it was given; "
                                    "profile again with --record addresses",
                                    logs_.id(), stack_.lineOf(&call), format::levelName(context_.level)));
    result_.bug.push_back(context_.exprs.binary(
        ExprOp::eq, value.expr, context_.exprs.constant(value.bits, context_.exprs.width(value.expr))));
  }
}

void FailureFinder::crashHere(const Step& step) {
  const format::FailureRecord& failure = *context_.end.failure;
  const auto* call = dyn_cast<CallBase>(step.instruction);
  const Scalar* guilty = nullptr;
  result_.failureMessage = describeCrash(step, guilty);
  if (failure.misuse == format::HeapMisuse::none)
    result_.failureMessage += fmt::format(" ({})", nameOfSignal(failure.signal));
  result_.isExplained = guilty || (failure.signal != SIGSEGV && failure.signal != SIGBUS);
  if (usesFreed(step, guilty)) {
    readLife(step, *guilty, nameOfUsed(step, guilty));
  } else if (guilty && guilty->isSymbolic()) {
    const ExprId observed = context_.exprs.constant(guilty->bits, context_.exprs.width(guilty->expr));
    // Of pointers in a page only some are no block.
    const bool isExact =
        isa<BinaryOperator>(step.instruction) || failure.misuse == format::HeapMisuse::invalidFree;
    result_.bug = {isExact ? context_.exprs.binary(ExprOp::eq, guilty->expr, observed) : isBadAddress(*guilty)};
  }
  if (!guilty && call && step.site && !call->doesNotReturn()) blameArguments(step, *call);
  // A point is announced before it is used, and so is what a wrapped call does.
  if (step.point || stack_.isBeforePoint(step)) ++logs_.points;
  if (call && step.site && !step.point && announces(step, *call)) ++logs_.points;
  endedBySignal(&step);
  if (usesFreed(step, guilty) && result_.failureKind == FailureKind::crash)
    result_.failureKind = FailureKind::useAfterFree;
}

} // namespace symbiosis
