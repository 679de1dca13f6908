// A global of which everybody sees all uses is the optimiser's to change: GlobalOpt keeps one bit of an int that
// only ever holds two values, makes a variable of each member of a struct, and puts a constant in the place of
// what is stored once. The program computes the same, but a report would show "port -> 0" where the source
// says 80. A variable that is named in llvm.compiler.used has a use that nobody sees, and is left alone; the list
// is kept in the bitcode, so that the linker's optimiser finds it, too, and means nothing to code generation.
//
// --every-access marks loads and stores as volatile, which keeps each of them and their order within the thread,
// and takes the mark back from those that have ours on them (`!symbiosis.access`) when the optimiser is done.
// Memory of which no pointer leaves the function is left out: most of it becomes registers.
#include "profiler/pass/own_values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace symbiosis {
namespace {

constexpr StringRef kAccessMark = "symbiosis.access";

bool isProgramsVariable(const GlobalVariable& variable) {
  if (variable.isDeclaration() || variable.isConstant() || variable.isThreadLocal()) return false;
  if (variable.hasAvailableExternallyLinkage() || variable.hasPrivateLinkage()) return false;
  return !variable.getName().starts_with("llvm.") && !variable.hasSection();
}

bool isPrivateMemory(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer);
  if (const auto* global = dyn_cast<GlobalVariable>(object)) return global->isConstant();
  return isa<AllocaInst>(object) && !PointerMayBeCaptured(object, false, true);
}

template <typename Access> void keepAccess(Access& access) {
  if (access.isVolatile() || access.isAtomic() || isPrivateMemory(access.getPointerOperand())) return;
  access.setVolatile(true);
  access.setMetadata(kAccessMark, MDNode::get(access.getContext(), {}));
}

template <typename Access> void releaseAccess(Access& access) {
  if (!access.getMetadata(kAccessMark)) return;
  access.setVolatile(false);
  access.setMetadata(kAccessMark, nullptr);
}

} // namespace

void keepVariables(Module& module) {
  SmallVector<GlobalValue*> variables;
  for (GlobalVariable& variable : module.globals())
    if (isProgramsVariable(variable)) variables.push_back(&variable);
  if (!variables.empty()) appendToCompilerUsed(module, variables);
}

void keepAccesses(Module& module) {
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      if (auto* load = dyn_cast<LoadInst>(&instruction)) keepAccess(*load);
      if (auto* store = dyn_cast<StoreInst>(&instruction)) keepAccess(*store);
    }
}

void releaseAccesses(Module& module) {
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      if (auto* load = dyn_cast<LoadInst>(&instruction)) releaseAccess(*load);
      if (auto* store = dyn_cast<StoreInst>(&instruction)) releaseAccess(*store);
    }
}

} // namespace symbiosis
