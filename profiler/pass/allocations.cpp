#include "profiler/pass/allocations.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <cerrno>

using namespace llvm;

namespace symbiosis {

// A constant that posix_memalign takes.
static bool isGoodAlignment(const Value* value) {
  const auto* constant = dyn_cast<ConstantInt>(value);
  return constant && constant->getValue().isPowerOf2() && constant->getZExtValue() >= sizeof(void*);
}

static void spellOut(CallInst& call) {
  IRBuilder<> builder(&call);
  Value *out = call.getArgOperand(0), *alignment = call.getArgOperand(1), *size = call.getArgOperand(2);
  Type* pointer = builder.getPtrTy();
  FunctionCallee allocate =
      call.getModule()->getOrInsertFunction("aligned_alloc", pointer, alignment->getType(), size->getType());
  Value* block = builder.CreateCall(allocate, {alignment, size});
  Value* isThere = builder.CreateIsNotNull(block);
  // Where it fails, glibc leaves the pointer as it was.
  builder.CreateStore(builder.CreateSelect(isThere, block, builder.CreateLoad(pointer, out)), out);
  Value* result =
      builder.CreateSelect(isThere, ConstantInt::get(call.getType(), 0), ConstantInt::get(call.getType(), ENOMEM));
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

void spellOutAllocations(Module& module) {
  const Function* own = module.getFunction("aligned_alloc");
  if (own && !own->isDeclaration()) return;
  SmallVector<CallInst*, 8> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&instruction); call && call->arg_size() == 3)
        if (const Function* callee = call->getCalledFunction(); callee && callee->isDeclaration() &&
                                                                callee->getName() == "posix_memalign" &&
                                                                isGoodAlignment(call->getArgOperand(1)))
          calls.push_back(call);
  for (CallInst* call : calls) spellOut(*call);
}

} // namespace symbiosis
