#pragma once
// How `symbiosis cc` tells the pass, which runs inside the linker and the compiler, what it was asked for.

namespace symbiosis {

// Environment variable of the linker: patterns of function names, one per line.
inline constexpr char kExcludeVariable[] = "SYMBIOSIS_EXCLUDE";
// Environment variable of the compiler, set by --every-access; its value says nothing.
inline constexpr char kEveryAccessVariable[] = "SYMBIOSIS_EVERY_ACCESS";

} // namespace symbiosis
