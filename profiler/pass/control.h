#pragma once
// Instruments one body so that the runtime decides when it passes its points.
#include "profiler/pass/runtime_interface.h"

namespace symbiosis {

void controlPoints(llvm::Function& body, RuntimeInterface& runtime);
// Only the points themselves; for a body whose calls are instrumented otherwise.
void controlAccesses(llvm::ArrayRef<llvm::Instruction*> points, RuntimeInterface& runtime);

} // namespace symbiosis
