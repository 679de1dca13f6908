#pragma once
// The address of a thread_local variable is another one in each thread, so it is no constant of the program.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Every use of a thread_local variable gets its address from llvm.threadlocal.address, whose result is recorded.
void makeThreadLocalsExplicit(llvm::Module& module);

} // namespace symbiosis
