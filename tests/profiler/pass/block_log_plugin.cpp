// A second plugin, independent of ours: logs the number of every block that is executed, by calling test_block().
// Loaded before ours, so that its calls are in the snapshot; they add no blocks.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

namespace {

// Functions that the recorder leaves whole have no recorded path.
bool isLeftWhole(const Function& function) {
  return any_of(function, [](const BasicBlock& block) {
    return block.hasAddressTaken() || isa<CallBrInst, IndirectBrInst>(block.getTerminator());
  });
}

struct BlockLogPass : PassInfoMixin<BlockLogPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    LLVMContext& context = module.getContext();
    FunctionCallee log =
        module.getOrInsertFunction("test_block", Type::getVoidTy(context), Type::getInt32Ty(context));
    uint32_t number = 0;
    for (Function& function : module) {
      if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || isLeftWhole(function)) continue;
      for (BasicBlock& block : function) {
        ++number;
        IRBuilder<> builder(&block, block.getFirstInsertionPt());
        builder.CreateCall(log, {builder.getInt32(number)});
      }
    }
    return PreservedAnalyses::none();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "block-log", "1", [](PassBuilder& builder) {
            builder.registerFullLinkTimeOptimizationLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(BlockLogPass()); });
          }};
}
