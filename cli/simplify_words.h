#pragma once
// What `symbiosis simplify` says.
#include "search/simplify.h"

namespace symbiosis {

const char* toText(SimplifyMethod method);

// The table of what each method made of the schedule, then what is left of it and why.
void printSimplified(const Simplified& result, const Recording& recording, const std::string& kept,
                     const std::string& directory);

} // namespace symbiosis
