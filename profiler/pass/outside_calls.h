#pragma once
// Calls that leave instrumented code with pointers to memory that other threads may touch.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Another thread may come between such a call and what its thread did before. So there is a point before it: a
// fence that costs nothing, and, of text that a function of libc reads (strtol, atoi …), a copy, which is a read
// of what the function reads. Before anything is numbered.
void placePointsBeforeOutsideCalls(llvm::Module& module);

} // namespace symbiosis
