#pragma once
// The un-instrumented module goes into a section of the executable, so that a recording can be understood with
// nothing but the program it came from; and a table of addresses, so that recorded pointers can be understood.
#include "profiler/pass/numbering.h"

namespace symbiosis {

void writeSnapshot(llvm::Module& module);
// After the bodies exist: the addresses of `numbering.functions` and `numbering.globals`, in that order; null
// where the address is never taken.
void writeAddressTable(llvm::Module& module, const Numbering& numbering);

} // namespace symbiosis
