#include "viz/fonts.h"
#include "viz/text.h"
#include <array>

namespace symbiosis {

// Advance widths in thousandths of the font size, from ' ' to '~'.
static constexpr std::array<short, 95> kSans{
    317, 400, 459, 837, 636, 950, 779, 274, 390, 390, 500, 837, 317, 360,  317, 336, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 336, 336, 837, 837, 837, 530, 1000, 684, 686, 698, 770, 631,
    575, 774, 751, 294, 294, 655, 557, 862, 748, 787, 603, 787, 694, 634,  610, 731, 684, 988, 685,
    610, 685, 390, 336, 390, 837, 500, 500, 612, 634, 549, 634, 615, 352,  634, 633, 277, 277, 579,
    277, 974, 633, 611, 634, 634, 411, 520, 392, 633, 591, 817, 591, 591,  524, 636, 336, 636, 837,
};
static constexpr std::array<short, 95> kSansBold{
    348, 456,  520, 837, 695, 1001, 872, 306, 457, 457, 522, 837, 379, 415,  379, 365, 695, 695,  695,
    695, 695,  695, 695, 695, 695,  695, 399, 399, 837, 837, 837, 580, 1000, 773, 762, 733, 830,  683,
    683, 820,  836, 372, 372, 774,  637, 995, 836, 850, 732, 850, 770, 720,  682, 812, 773, 1103, 770,
    724, 725,  457, 365, 457, 837,  500, 500, 674, 715, 592, 715, 678, 435,  715, 711, 342, 342,  665,
    342, 1041, 711, 687, 715, 715,  493, 595, 478, 711, 651, 923, 645, 651,  582, 711, 365, 711,  837,
};
static constexpr short kMono = 602, kOther = 1000;

double textWidth(std::string_view text, Font font, double size) {
  long sum = 0;
  for (char32_t c : codePoints(text)) {
    if (c == 0xA0) c = ' '; // no-break space
    const bool isAscii = c >= 0x20 && c < 0x7F;
    if (font == Font::mono)
      sum += c < 0x2E80 ? kMono : kOther;
    else
      sum += isAscii ? (font == Font::sans ? kSans : kSansBold)[c - 0x20] : kOther;
  }
  return double(sum) * size / 1000;
}

} // namespace symbiosis
