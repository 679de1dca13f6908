#pragma once
// What the painters of the picture's parts share: where its panels stand and what colours they have.
#include "viz/drawing.h"
#include "viz/panel_geometry.h"
#include "viz/picture.h"

namespace symbiosis {

inline palette::Token sideColour(size_t side) { return side == kFailing ? palette::kFail : palette::kPass; }
inline palette::Token sideTint(size_t side) { return side == kFailing ? palette::kFailTint : palette::kPassTint; }

struct SvgParts {
  const Picture& picture;
  const PanelGeometry& geometry;
  Drawing& drawing;
  double top, left; // of the panels

  Point origin(size_t side) const {
    return {left + (side == kFailing ? 0 : geometry.width() + geometry.gutter()), top};
  }
  Rect placed(size_t side, Rect rect) const {
    rect.x += origin(side).x, rect.y += origin(side).y;
    return rect;
  }
  const palette::ThreadColours& threadColours(size_t lane) const {
    return isOthers(lane) ? palette::kOthers : palette::ofThread(picture.lanes[lane]);
  }
  bool isOthers(size_t lane) const { return picture.lanes[lane] == kNone; }
};

// --- svg_card.cpp: the labels of nodes ---
std::string cardTable(const Card& card, size_t side, const Rect& rect, palette::Token stripe, bool isFramed);
std::string chipTable(const std::string& words, const Rect& rect, palette::Token colour);

// --- svg_gutter.cpp: between the panels ---
void paintGutter(const SvgParts& parts);

// --- svg_runs.cpp: where two runs part, and what only one of them does ---
void paintDecision(const SvgParts& parts, size_t side); // without its card
void paintBlocks(const SvgParts& parts, size_t side);   // those of this panel, and what it lacks of the other's
void paintContrast(const SvgParts& parts, double x, double baseline);
double paintRunsLegend(const SvgParts& parts, double x, double middle); // the width that it takes

} // namespace symbiosis
