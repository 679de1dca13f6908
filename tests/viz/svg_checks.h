#pragma once
// What must hold for every picture: well-formed, no text over other text, everything inside the canvas.
#include "tests/viz/xml.h"
#include "viz/fonts.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace symbiosis::testing {

struct TextBox {
  std::string text;
  double left, top, right, bottom;
  bool overlaps(const TextBox& o) const {
    constexpr double kTouch = 0.75; // neighbours on one line may touch
    return left + kTouch < o.right && o.left + kTouch < right && top + kTouch < o.bottom &&
           o.top + kTouch < bottom;
  }
};

inline std::vector<TextBox> textBoxes(const std::vector<XmlElement>& elements) {
  std::vector<TextBox> boxes;
  for (const XmlElement& e : elements) {
    if (e.name != "text" || e.text.find_first_not_of(" \n") == std::string::npos) continue;
    auto number = [&](const char* name) { return std::strtod(e.attributes.at(name).c_str(), nullptr); };
    const bool isMono = e.attributes.at("font-family").find("Mono") != std::string::npos;
    const bool isBold = e.attributes.count("font-weight") && e.attributes.at("font-weight") == "bold";
    const double size = number("font-size");
    std::string text = e.text; // a no-break space counts as one
    for (size_t at = text.find("\xc2\xa0"); at != std::string::npos; at = text.find("\xc2\xa0"))
      text.replace(at, 2, " ");
    const double width = textWidth(text, isMono ? Font::mono : isBold ? Font::sansBold : Font::sans, size);
    const std::string& anchor = e.attributes.at("text-anchor");
    const double x = number("x"), y = number("y"),
                 left = anchor == "start" ? x
                        : anchor == "end" ? x - width
                                          : x - width / 2;
    boxes.push_back({text, left, y - 0.76 * size, left + width, y + 0.2 * size});
  }
  return boxes;
}

inline void checkSvg(const std::string& svg) {
  XmlReader reader;
  const auto elements = reader.read(svg);
  ASSERT_TRUE(elements) << reader.error();
  for (const XmlElement& e : *elements) EXPECT_NE(e.name, "script");
  const std::vector<TextBox> boxes = textBoxes(*elements);
  EXPECT_GT(boxes.size(), 5u);
  const double width = std::strtod(elements->front().attributes.at("width").c_str(), nullptr);
  const double height = std::strtod(elements->front().attributes.at("height").c_str(), nullptr);
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].left, 0) << boxes[i].text;
    EXPECT_LE(boxes[i].right, width + 1) << boxes[i].text;
    EXPECT_GE(boxes[i].top, -height - 1) << boxes[i].text;
    EXPECT_LE(boxes[i].bottom, 1) << boxes[i].text;
    for (size_t k = i + 1; k < boxes.size(); ++k)
      EXPECT_FALSE(boxes[i].overlaps(boxes[k])) << "\"" << boxes[i].text << "\" over \"" << boxes[k].text << "\"";
  }
}

} // namespace symbiosis::testing
