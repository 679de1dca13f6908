#pragma once
// Atomic operations that are written as inline assembly: libraries that are older than C11 have them so.
#include "llvm/IR/Module.h"

namespace symbiosis {

// Replaces each by the instruction of LLVM's that it is (lock cmpxchg, xadd, xchg, inc, dec, add, sub, or, and,
// xor, bts, btr, btc, fences, pause). What touches memory and is none of these is not seen: the link says where it
// is. Before anything is numbered.
void spellOutAssembly(llvm::Module& module);

} // namespace symbiosis
