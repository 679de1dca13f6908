#pragma once
// Which values level `addresses` logs (`!symbiosis.address` on loads, atomics and copies that are points): those
// that can flow into an address, or into anything else that the symbolic executor must know concretely.
#include "profiler/pass/numbering.h"

namespace symbiosis {

inline constexpr char kAddressMetadata[] = "symbiosis.address";

// After numberPoints, before the snapshot is written.
void markAddressSlice(llvm::Module& module);

} // namespace symbiosis
