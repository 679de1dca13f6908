#pragma once
// Which values level `addresses` logs (`!symbiosis.address` on loads, atomics and copies that are points): those
// that can flow into an address, or into anything else that the symbolic executor must know concretely.
#include "profiler/pass/numbering.h"
#include "trace/metadata.h"

namespace symbiosis {

// After numberPoints, before the snapshot is written.
void markAddressSlice(llvm::Module& module);

} // namespace symbiosis
