// The plugin, twice. In the linker it runs after optimisation, on the whole program (DESIGN "Bitcode"): number the
// points, snapshot the module, then instrument it. In the compiler it runs before optimisation and says what is to
// be left as it is (own_values.h).
#include "profiler/pass/address_slice.h"
#include "profiler/pass/allocations.h"
#include "profiler/pass/bodies.h"
#include "profiler/pass/control.h"
#include "profiler/pass/inline_assembly.h"
#include "profiler/pass/numbering.h"
#include "profiler/pass/own_values.h"
#include "profiler/pass/pass_options.h"
#include "profiler/pass/recording.h"
#include "profiler/pass/runtime_interface.h"
#include "profiler/pass/snapshot.h"
#include "profiler/pass/text_copies.h"
#include "profiler/pass/text_looks.h"
#include "profiler/pass/thread_locals.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace symbiosis {
namespace {

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  static bool isRequired() { return true; } // also at -O0 and for optnone functions

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    releaseAccesses(module);
    makeThreadLocalsExplicit(module);
    spellOutAssembly(module);
    spellOutTextCopies(module);
    spellOutAllocations(module);
    lookAtTexts(module);
    Numbering numbering = numberPoints(module);
    markAddressSlice(module);
    writeSnapshot(module);
    // From here on the module may change: everything that must agree with the snapshot has its number.
    RuntimeInterface runtime(module);
    auto record = [&](format::Level level, bool controlled) {
      return [&runtime, level, controlled](Function& body, const DenseMap<const BasicBlock*, uint32_t>& blocks) {
        recordBody(body, blocks, runtime, level, controlled);
      };
    };
    auto enter = [&](IRBuilder<>& builder, Function& door, uint32_t number) {
      recordEntry(builder, door, number, runtime);
    };
    auto control = [&](Function& body, const DenseMap<const BasicBlock*, uint32_t>&) {
      controlPoints(body, runtime);
    };
    using format::Level;
    makeBodies(numbering, runtime.mode,
               {{format::Mode::off, "off", BodyCare::whole, {}, {}},
                {format::Mode::path, "path", BodyCare::fast, record(Level::path, false), enter},
                {format::Mode::addresses, "addresses", BodyCare::fast, record(Level::addresses, false), enter},
                {format::Mode::full, "full", BodyCare::fast, record(Level::full, false), enter},
                {format::Mode::control, "control", BodyCare::whole, control, {}},
                {format::Mode::controlFull, "control.full", BodyCare::fastBuilt, record(Level::full, true), enter}});
    writeAddressTable(module, numbering);
    if (verifyModule(module, &errs())) report_fatal_error("symbiosis: the instrumented module is invalid (a bug)");
    return PreservedAnalyses::none();
  }
};

struct KeepValuesPass : PassInfoMixin<KeepValuesPass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    keepVariables(module);
    if (std::getenv(kEveryAccessVariable)) keepAccesses(module);
    return PreservedAnalyses::none();
  }
};

} // namespace
} // namespace symbiosis

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "symbiosis", "0.1", [](PassBuilder& builder) {
            builder.registerFullLinkTimeOptimizationLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(symbiosis::InstrumentPass()); });
            builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
              if (level != OptimizationLevel::O0) passes.addPass(symbiosis::KeepValuesPass());
            });
          }};
}
