#pragma once
// How context switches read: who is left where, and why. All of it is printable text.
#include "trace/source_files.h"
#include "trace/switches.h"

namespace symbiosis {

// "T1 at scan.c:31, right after `mut = NULL;`".
std::string preemptionWords(const SymbolicTrace& trace, const SourceFiles& sources, const ContextSwitch& change);

// "scan.c:66  T0 waits for T1 to end", "scan.c:47  T2 waits for lock, which T1 holds", "T2 has ended".
std::string waitWords(const SymbolicTrace& trace, const EventOrder& order, const ContextSwitch& change);

} // namespace symbiosis
