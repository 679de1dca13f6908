#include "profiler/pass/thread_locals.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace symbiosis {

static bool isAddressOf(const User* user) {
  const auto* call = dyn_cast<IntrinsicInst>(user);
  return call && call->getIntrinsicID() == Intrinsic::threadlocal_address;
}

void makeThreadLocalsExplicit(Module& module) {
  for (GlobalVariable& variable : module.globals()) {
    if (!variable.isThreadLocal()) continue;
    convertUsersOfConstantsToInstructions({&variable});
    SmallVector<Use*, 16> uses;
    for (Use& use : variable.uses())
      if (isa<Instruction>(use.getUser()) && !isAddressOf(use.getUser())) uses.push_back(&use);
    for (Use* use : uses) {
      auto* user = cast<Instruction>(use->getUser());
      auto* phi = dyn_cast<PHINode>(user);
      IRBuilder<> builder(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
      use->set(builder.CreateThreadLocalAddress(&variable));
    }
  }
}

} // namespace symbiosis
