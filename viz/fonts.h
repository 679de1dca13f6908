#pragma once
// Widths of text in the picture's fonts (DejaVu), so that the layout does not depend on what is installed.
#include <string_view>

namespace symbiosis {

enum class Font { sans, sansBold, mono };

// Points. Characters outside ASCII count as wide as the widest that we use.
double textWidth(std::string_view text, Font font, double size);

} // namespace symbiosis
