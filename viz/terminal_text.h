#pragma once
// What a terminal can show: ASCII instead of UTF-8 where it must be, colour where it may be.
#include "viz/views.h"
#include <string>
#include <string_view>

namespace symbiosis {

enum class Style { plain, fail, pass, strong, faint };

// Sign for sign, so that columns stay columns; a character without a likeness becomes '?'.
std::string asciiColumns(std::string_view text);
// For running text, where "→" may become "->".
std::string asciiText(std::string_view text);

// `text` in the options' alphabet and, if they allow it, in colour.
std::string paint(const TerminalOptions& options, Style style, std::string_view text);

} // namespace symbiosis
