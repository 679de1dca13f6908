#pragma once
// What a link line gets from us, and where on it.
#include "profiler/driver/compiler_driver.h"

namespace symbiosis {

// The pass, the runtime, and the names of libc that it wraps: behind everything of the user's, so that what the
// user defines is found first, and before the libraries that define these names for everybody.
void addRuntime(const Toolchain& toolchain, std::vector<std::string>& arguments);

} // namespace symbiosis
