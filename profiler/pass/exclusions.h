#pragma once
// How `symbiosis cc --exclude` tells the pass, which runs inside the linker, what to leave alone.

namespace symbiosis {

// Environment variable of the linker: patterns of function names, one per line.
inline constexpr char kExcludeVariable[] = "SYMBIOSIS_EXCLUDE";

} // namespace symbiosis
