#pragma once
// Foreign text made safe to show. Names and source lines come from other people's programs: they may hold
// control characters, markup or bytes that are no UTF-8, and none of that may reach a terminal or a file as
// anything but text.
#include <string>
#include <string_view>
#include <vector>

namespace symbiosis {

// One line of valid UTF-8: white space becomes a space, other control characters become visible signs, what
// is no UTF-8, no XML character or turns the direction of writing becomes U+FFFD.
std::string printable(std::string_view text);

// Without white space at its ends, and runs of it inside made one space.
std::string tidied(std::string_view text);

// For XML text and attributes in double quotes. `text` must be printable.
std::string xmlEscaped(std::string_view text);

// Columns on a terminal: wide characters count 2, combining ones 0.
size_t columns(std::string_view text);
// Exactly `width` columns: filled with spaces, or cut in the middle.
std::string padded(std::string_view text, size_t width);
std::string paddedLeft(std::string_view text, size_t width);

// At most `width` columns each; breaks at spaces; lines after the first begin with `indent`.
std::vector<std::string> wrapped(std::string_view text, size_t width, std::string_view indent);

// The code points of valid UTF-8.
std::u32string codePoints(std::string_view text);
std::string toUtf8(std::u32string_view text);

} // namespace symbiosis
