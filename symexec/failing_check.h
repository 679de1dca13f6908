#pragma once
// The bug condition of a failing check: which of the branches that led to it are the check itself.
#include "symexec/thread_events.h"

namespace symbiosis {

// Takes the conditions of the failing check out of `conditions` and returns them; their conjunction is the bug
// condition. `failing` is the call that failed (__assert_fail, abort),
// or the return from main.
std::vector<ExprId> takeFailingCheck(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                     const llvm::Instruction& failing);

} // namespace symbiosis
