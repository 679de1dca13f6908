#pragma once
// Values are the program's own: what the optimiser may not do between the source and the snapshot.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Before optimisation, in the compiler. Each variable that the program can change stays what it is: neither shrunk
// to a bit nor split into its members nor replaced by what is known of it.
void keepVariables(llvm::Module& module);
// `symbiosis cc --every-access`: also each load and store of memory that another thread may see.
void keepAccesses(llvm::Module& module);
// After optimisation, in the linker: takes that back.
void releaseAccesses(llvm::Module& module);

} // namespace symbiosis
