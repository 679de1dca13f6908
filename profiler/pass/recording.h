#pragma once
// Instruments one body so that it records its path (branch bits) and the values that the level asks for.
#include "profiler/pass/bodies.h"
#include "profiler/pass/runtime_interface.h"

namespace symbiosis {

// `controlled`: also asks the runtime before each point (control.h).
void recordBody(llvm::Function& body, const llvm::DenseMap<const llvm::BasicBlock*, uint32_t>& blocks,
                RuntimeInterface& runtime, format::Level level, bool controlled);
// The door of a recorded function: logs who came in, and the arguments.
void recordEntry(llvm::IRBuilder<>& builder, llvm::Function& door, uint32_t functionNumber,
                 RuntimeInterface& runtime);

} // namespace symbiosis
