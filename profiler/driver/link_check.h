#pragma once
// What a link has made: whether it can be recorded, and which of its inputs cannot.
#include "profiler/driver/compiler_driver.h"

namespace symbiosis {

// An error if the output has no snapshot. Otherwise the inputs that came without bitcode, as the user named them.
Result<std::vector<std::string>> inputsWithoutBitcode(const CompilerCall& call);

} // namespace symbiosis
