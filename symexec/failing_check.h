#pragma once
// The bug condition of a failing check: which of the branches that led to it are the check itself.
#include "symexec/thread_events.h"

namespace symbiosis {

bool isSameLine(const llvm::DILocation* a, const llvm::DILocation* b); // of the same call of a function

// Takes the conditions of the failing check out of `conditions` and returns them; their conjunction is the bug
// condition. `failing` is the instruction that failed (the call of __assert_fail or abort, the return from main),
// and then the calls that led to it, innermost first: in `if (bad) die();` the guard stands around the call of
// `die`.
std::vector<ExprId> takeFailingCheck(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                     const std::vector<const llvm::Instruction*>& failing);

// The same where `main` returns a constant: what chose it may lie far before, destructors run in between. Empty:
// no branch did, as far as can be seen.
std::vector<ExprId> takeChoiceOfStatus(std::vector<RawCondition>& conditions, const std::vector<RawEvent>& events,
                                       const llvm::ReturnInst& returns, uint64_t status);

} // namespace symbiosis
