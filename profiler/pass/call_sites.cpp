#include "profiler/pass/call_sites.h"
#include "profiler/pass/allocations.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace symbiosis {

bool mayRecord(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm()) return false;
  const Function* callee = call->getCalledFunction();
  return !(callee && callee->getName().starts_with("__symbiosis_"));
}

void ownNormalDestinations(ArrayRef<CallBase*> calls) {
  for (CallBase* call : calls)
    if (auto* invoke = dyn_cast<InvokeInst>(call); invoke && !invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(invoke->getParent(), invoke->getNormalDest());
}

Instruction* afterwards(Instruction* instruction) {
  if (auto* invoke = dyn_cast<InvokeInst>(instruction)) return &*invoke->getNormalDest()->getFirstInsertionPt();
  return instruction->getNextNode();
}

// The call is then made for what the runtime returns: a block that it holds back is given back later.
static void announceFree(CallBase& call, const AllocationCall& known, RuntimeInterface& runtime) {
  IRBuilder<> builder(&call);
  const unsigned freed = unsigned(known.freedArgument);
  auto argument = [&](unsigned number) -> Value* { // of a sized or aligned operator delete
    if (number >= call.arg_size() || !call.getArgOperand(number)->getType()->isIntegerTy())
      return builder.getInt64(0);
    return builder.CreateZExtOrTrunc(call.getArgOperand(number), runtime.i64);
  };
  Value* block = call.getArgOperand(freed);
  Value* remains =
      known.sizeArgument >= 0
          ? builder.CreateCall(runtime.reallocated, {block, argument(unsigned(known.sizeArgument))})
          : builder.CreateCall(runtime.freed, {block, call.getCalledOperand(), argument(1), argument(2)});
  call.setArgOperand(freed, remains);
}

void announceAllocations(ArrayRef<CallBase*> calls, RuntimeInterface& runtime) {
  for (CallBase* call : calls) {
    const Function* callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration()) continue;
    std::optional<AllocationCall> known = allocationCall(callee->getName());
    if (!known) continue;
    if (known->freedArgument >= 0) announceFree(*call, *known, runtime);
    if (known->sizeArgument < 0) continue;
    IRBuilder<> builder(afterwards(call));
    Value* size = builder.CreateZExtOrTrunc(call->getArgOperand(unsigned(known->sizeArgument)), runtime.i64);
    if (known->countArgument >= 0)
      size = builder.CreateMul(
          size, builder.CreateZExtOrTrunc(call->getArgOperand(unsigned(known->countArgument)), runtime.i64));
    builder.CreateCall(runtime.allocated, {call, size});
  }
}

static bool pinnable(Type* type, Align align, const DataLayout& layout) {
  if (!type->isIntegerTy() && !type->isPointerTy() && !type->isFloatTy() && !type->isDoubleTy()) return false;
  const uint64_t size = layout.getTypeStoreSize(type);
  return layout.getTypeSizeInBits(type) == size * 8 && size <= 8 && isPowerOf2_64(size) && align.value() >= size;
}

void pinAccess(Instruction& instruction) {
  const DataLayout& layout = instruction.getDataLayout();
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->isAtomic() && pinnable(load->getType(), load->getAlign(), layout))
      load->setAtomic(AtomicOrdering::Monotonic);
  } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    if (!store->isAtomic() && pinnable(store->getValueOperand()->getType(), store->getAlign(), layout))
      store->setAtomic(AtomicOrdering::Monotonic);
  }
}

void pinDivisions(Function& body) {
  std::vector<BinaryOperator*> divisions;
  for (Instruction& instruction : instructions(body))
    if (auto* operation = dyn_cast<BinaryOperator>(&instruction))
      if (operation->isIntDivRem() && operation->getType()->isIntegerTy() &&
          operation->getType()->getIntegerBitWidth() <= 64 && !isa<Constant>(operation->getOperand(1)))
        divisions.push_back(operation);
  for (BinaryOperator* division : divisions) {
    IRBuilder<> builder(division->getNextNode());
    auto* type = FunctionType::get(builder.getVoidTy(), {division->getType()}, false);
    builder.CreateCall(InlineAsm::get(type, "", "r,~{memory}", true), {division});
  }
}

} // namespace symbiosis
