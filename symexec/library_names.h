#pragma once
// The paths through the classes of libraries tell nobody anything: `counter._M_i` is `counter`, and what a vector
// keeps as `names._M_impl._M_finish` is known to its users as `names.end()`.
#include <cstdint>
#include <string>
#include <string_view>

namespace symbiosis {

// A name, or what it leads to, that belongs to a library: `*__ptr`, `__w[9]._M_wait`, the `this` of a wrapper.
bool isLibraryName(std::string_view name);
// Without the members that belong to libraries, as far as something is left.
std::string withoutLibraryParts(const std::string& name);
inline constexpr uint64_t kWholeObject = ~uint64_t{0}; // in place of a size: what a pointer leads to, not a member
// The pointer through which something is accessed: `d` of `d->id`, `text` of `*text`, `all` of `all[3]`; else the
// name.
std::string nameOfHolder(const std::string& name);

} // namespace symbiosis
