#pragma once
// Forward taint over a snapshot: where can a value that level `addresses` does not log arrive? Shares no code with
// the backward slice of profiler/pass/address_slice.cpp, which it checks.
#include "symexec/snapshot.h"
#include <set>
#include <string>

namespace symbiosis::testing {

// Instructions whose address, length, size or target an unlogged load can reach, and calls of functions outside
// that make something of it, as text.
std::set<std::string> unknownAddresses(const Snapshot& snapshot);

} // namespace symbiosis::testing
