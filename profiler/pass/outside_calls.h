#pragma once
// Calls that give memory of the program to a function which is not instrumented: puts(text), stream << string,
// write(file, bytes, n), a library's own. What such a function does with it happens in no instrumented code, so
// the call is a point (`!symbiosis.given`): a thread can be stopped before it, what the function frees has a place
// in a schedule, and if what it certainly looks at is gone, that is noticed before the call.
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace symbiosis {

// It gives away memory that another thread may reach. Not so: what the runtime wraps or the pass announces, and
// what is itself a point.
bool givesMemory(const llvm::CallBase& call);
// The arguments behind which the function certainly looks, by what is known of libc and libstdc++. A pointer that
// is only kept, printed with %p or compared is none.
llvm::SmallVector<unsigned, 4> argumentsLookedAt(const llvm::CallBase& call);

} // namespace symbiosis
