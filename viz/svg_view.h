#pragma once
// The picture as SVG, whole or for a page that says the words around it itself.
#include "viz/picture.h"
#include <string>

namespace symbiosis {

enum class SvgFrame {
  whole,  // with the headline above and the certificate below
  panels, // the two panels and the legend
};

// Each event is a group with data-event="0.2:14" (in both panels the same), each arrow one with data-from and
// data-to.
std::string svgOf(const Picture& picture, SvgFrame frame);

} // namespace symbiosis
