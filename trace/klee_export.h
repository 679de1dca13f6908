#pragma once
// A symbolic trace in the formats of KLEE, for tools that read these.
#include "support/result.h"
#include "trace/symbolic_trace.h"

namespace symbiosis {

// KQuery: one array of bytes for each symbol, the path condition, and the question whether the bug condition must
// hold on this path whatever is read. (KLEE leaves x/0 open where SMT-LIB does not.) An
// error where floating-point values decide: KQuery has none.
Result<std::string> toKQuery(const SymbolicTrace& trace);

// .ktest, version 3: the program's arguments, and as objects the symbols with the values that the recording saw;
// those that it did not see are left out.
std::string toKtest(const SymbolicTrace& trace, const std::vector<std::string>& command);

} // namespace symbiosis
