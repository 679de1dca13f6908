// The backward closure, over the whole linked module, of the values that must be known concretely when a thread is
// executed symbolically (FINDINGS C.10):
//   - addresses of loads, stores and atomics; pointers and lengths of copies; sizes of stack slots; pointers that
//     leave instrumented code, and the targets of indirect calls;
//   - what expressions cannot hold: integers of more than 64 bits, bit tricks, arguments of an outside call whose
//     result is used or that gets a pointer, by which it may write; floating-point values, if any of them decides
//     a branch or becomes an integer;
//   - variables that belong to libraries.
// The closure goes through arithmetic, phis, selects, arguments to their call sites and results to the returns.
// It stops at a load from possibly-shared memory, which is marked, so that its value is logged. Private stack
// slots are not logged: a load from one needs all that is stored there.
//
// What enters a function through its door, and what a call brings from outside, is logged at every level.
#include "profiler/pass/address_slice.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace symbiosis {
namespace {

bool isWide(const Type* type) {
  const Type* element = type->getScalarType();
  return element->isIntegerTy() && element->getIntegerBitWidth() > 64;
}

// Computed concretely only, see symexec/calls.cpp.
bool needsConcreteArguments(const IntrinsicInst& call) {
  if (const auto* overflow = dyn_cast<WithOverflowInst>(&call))
    return overflow->getBinaryOp() == Instruction::Mul &&
           overflow->getLHS()->getType()->getScalarSizeInBits() > 31;
  switch (call.getIntrinsicID()) {
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat: return true;
  default: return false;
  }
}

// A variable of a library, which changes it without our seeing that: libc's __libc_single_threaded, errno's kin.
bool isForeign(const Value* pointer) {
  const auto* global = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer));
  return global && global->isDeclaration();
}

bool isFloat(const Type* type) { return type->getScalarType()->isFloatingPointTy(); }

class AddressSlice {
public:
  explicit AddressSlice(Module& module) : module_(module) {}

  const SetVector<Instruction*>& run() {
    forEachInstruction([&](Instruction& instruction) { addRoots(instruction); });
    close();
    // A float that is read from shared memory and matters: then what is written there matters, too.
    if (any_of(logged_, [](const Instruction* point) { return isFloat(point->getType()); })) {
      forEachInstruction([&](Instruction& instruction) { addFloatRoots(instruction); });
      close();
    }
    return logged_;
  }

private:
  template <typename Visit> void forEachInstruction(Visit&& visit) {
    for (Function& function : module_)
      if (isInstrumented(function))
        for (Instruction& instruction : instructions(function)) visit(instruction);
  }

  void need(Value* value) {
    if (isa<Instruction, Argument>(value) && seen_.insert(value).second) pending_.push_back(value);
  }
  void needOperands(User& user) {
    for (Use& use : user.operands()) need(use.get());
  }

  void addRoots(Instruction& instruction) {
    if (Value* pointer = getLoadStorePointerOperand(&instruction)) need(pointer);
    if (auto* load = dyn_cast<LoadInst>(&instruction); load && isForeign(load->getPointerOperand())) need(load);
    if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) need(rmw->getPointerOperand());
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) need(exchange->getPointerOperand());
    if (auto* slot = dyn_cast<AllocaInst>(&instruction)) need(slot->getArraySize());
    if (auto* extract = dyn_cast<ExtractElementInst>(&instruction)) need(extract->getIndexOperand());
    if (auto* insert = dyn_cast<InsertElementInst>(&instruction)) need(insert->getOperand(2));
    if (isa<BinaryOperator, ICmpInst, CastInst>(instruction) &&
        (isWide(instruction.getType()) || isWide(instruction.getOperand(0)->getType())))
      needOperands(instruction);
    if (isa<FCmpInst, FPToSIInst, FPToUIInst>(instruction)) needOperands(instruction);
    if (auto* call = dyn_cast<CallBase>(&instruction)) addRootsOfCall(*call);
  }

  void addRootsOfCall(CallBase& call) {
    if (auto* memory = dyn_cast<MemIntrinsic>(&call)) {
      need(memory->getRawDest());
      need(memory->getLength());
      if (auto* copy = dyn_cast<MemTransferInst>(memory)) need(copy->getRawSource());
      return;
    }
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) {
      if (needsConcreteArguments(*intrinsic)) needOperands(call);
      return;
    }
    const bool leaves = leavesInstrumentedCode(call);
    if (leaves) need(call.getCalledOperand());
    const bool makesSomething =
        leaves &&
        (!call.use_empty() || any_of(call.args(), [](const Use& use) { return use->getType()->isPointerTy(); }));
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (makesSomething || (!leaves && call.isByValArgument(i))) need(call.getArgOperand(i));
  }

  void addFloatRoots(Instruction& instruction) {
    if (isFloat(instruction.getType()) && isa<BinaryOperator, UnaryOperator, CastInst, IntrinsicInst>(instruction))
      needOperands(instruction);
    if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction); rmw && isFloat(rmw->getType())) {
      need(rmw);
      need(rmw->getValOperand());
    }
  }

  void close() {
    while (!pending_.empty()) {
      Value* value = pending_.pop_back_val();
      if (auto* argument = dyn_cast<Argument>(value))
        needArgument(*argument);
      else
        needResult(*cast<Instruction>(value));
    }
  }

  void needArgument(Argument& argument) {
    if (argument.hasByValAttr()) return; // the address of a copy
    for (const Use& use : argument.getParent()->uses()) {
      auto* call = dyn_cast<CallBase>(use.getUser());
      if (call && call->isCallee(&use) && !leavesInstrumentedCode(*call) && argument.getArgNo() < call->arg_size())
        need(call->getArgOperand(argument.getArgNo()));
    }
  }

  void needResult(Instruction& instruction) {
    if (isa<AllocaInst, LandingPadInst>(instruction)) return;
    if (auto* load = dyn_cast<LoadInst>(&instruction); load && !load->hasMetadata(kPointMetadata))
      return needContents(*load->getPointerOperand());
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
      logged_.insert(&instruction);
      if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) need(exchange->getCompareOperand());
      return;
    }
    if (auto* call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call)) {
      if (call->isInlineAsm() || leavesInstrumentedCode(*call)) return;
      for (BasicBlock& block : *cast<Function>(call->getCalledOperand()->stripPointerCasts()))
        if (auto* end = dyn_cast<ReturnInst>(block.getTerminator()); end && end->getReturnValue())
          need(end->getReturnValue());
      return;
    }
    needOperands(instruction);
  }

  // Everything that is ever put into the private slot at `address`.
  void needContents(Value& address) {
    auto* slot = dyn_cast<AllocaInst>(getUnderlyingObject(&address, 0));
    if (!slot || !opened_.insert(slot).second) return; // a constant needs nothing
    SmallVector<Value*, 16> pending{slot};
    SmallPtrSet<Value*, 16> seen;
    while (!pending.empty()) {
      Value* pointer = pending.pop_back_val();
      if (!seen.insert(pointer).second) continue;
      for (User* user : pointer->users()) {
        if (isa<GetElementPtrInst, BitCastInst, PHINode, SelectInst>(user)) pending.push_back(user);
        if (auto* store = dyn_cast<StoreInst>(user)) need(store->getValueOperand());
        if (auto* fill = dyn_cast<MemSetInst>(user)) need(fill->getValue());
        if (auto* copy = dyn_cast<MemTransferInst>(user); copy && copy->getRawDest() == pointer) {
          if (copy->hasMetadata(kLoggedMetadata))
            logged_.insert(copy);
          else
            needContents(*copy->getRawSource());
        }
      }
    }
  }

  Module& module_;
  DenseSet<const Value*> seen_;
  SmallVector<Value*, 64> pending_;
  DenseSet<const AllocaInst*> opened_; // private slots whose contents are needed
  SetVector<Instruction*> logged_;
};

} // namespace

void markAddressSlice(Module& module) {
  MDNode* empty = MDNode::get(module.getContext(), {});
  AddressSlice slice(module);
  for (Instruction* point : slice.run()) point->setMetadata(kAddressMetadata, empty);
}

} // namespace symbiosis
