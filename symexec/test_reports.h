#pragma once
// Failed checks of GoogleTest. EXPECT_EQ(a, b) decides in a function of the library's header; if it fails, values
// are printed, texts are put together, and in the end AssertHelper::operator= reports. Symbiosis has the program
// stop there (replay/launch.cpp), so that such a check ends a run as assert() does; all that came after the
// decision is part of the failure.
#include "llvm/IR/InstrTypes.h"

namespace symbiosis {

// The call, or code of the library around it that was inlined, is made only for a check that has failed.
bool reportsFailedCheck(const llvm::CallBase& call);
// The last one: it does not come back.
bool endsFailedCheck(const llvm::Function* callee);

} // namespace symbiosis
