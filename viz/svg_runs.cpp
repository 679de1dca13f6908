// Where two runs part, and what only one of them does.
//
// The decision is a band over the panel with the card of what was read, a diamond below it and two exits: the one
// at the bottom goes on in the order of the source, the one at the right side goes elsewhere, down the strip that
// the cards of the lane leave free. The exit taken is solid and has a head, the other is dotted.
#include "dsp/wording.h"
#include "search/contrast.h"
#include "viz/svg_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

using namespace palette;

namespace {

constexpr double kExit = 1.6, kStub = 26;
constexpr size_t kMostCells = 20;

void openHead(Drawing& drawing, Point tip, Point back, Token colour) {
  const bool isDown = tip.x == back.x;
  for (double aside : {-5.0, 5.0})
    drawing.line(isDown ? Point{tip.x + aside, tip.y - 8} : Point{tip.x + 8, tip.y + aside}, tip, colour, kExit,
                 Stroke::solid);
}

class DecisionPainter {
public:
  DecisionPainter(const SvgParts& parts, size_t side)
      : parts_(parts), p_(parts.picture), g_(parts.geometry), drawing_(parts.drawing), decision_(*p_.decision),
        side_(side), colour_(decision_.isDecisive ? sideColour(side) : kOrder),
        weight_(decision_.isDecisive ? 2.4 : 1.6), lane_(p_.cardOf(p_.rows[decision_.row]).lane) {}

  void paint() {
    const Rect band = parts_.placed(side_, g_.row(decision_.row)),
               card = parts_.placed(side_, g_.card(decision_.row));
    const Rect diamond = parts_.placed(side_, g_.diamond());
    drawing_.rectangle(band, kChip, kOrder);
    paintCaption(parts_.placed(side_, g_.caption()));
    drawing_.line({card.centre().x, card.bottom()}, {diamond.centre().x, diamond.y}, colour_, kExit,
                  Stroke::solid);
    const bool isDown = decision_.goesDown[side_];
    paintBottomExit(diamond, isDown);
    paintSideExit(diamond, !isDown);
    drawing_.polygon({{diamond.centre().x, diamond.y},
                      {diamond.right(), diamond.centre().y},
                      {diamond.centre().x, diamond.bottom()},
                      {diamond.x, diamond.centre().y}},
                     kChip, colour_, weight_);
    drawing_.text(diamond.centre().x, diamond.centre().y + 3.5, fitting(decision_.condition, diamond.width * 0.64),
                  {Font::mono, 10, kInk, Align::centre});
  }

private:
  static std::string fitting(const std::string& words, double width) {
    size_t longest = 60;
    std::string text = words;
    while (longest > 4 && textWidth(text, Font::mono, 10) > width) text = shortenMiddle(words, --longest);
    return text;
  }

  void paintCaption(const Rect& room) {
    const double x = room.centre().x, y = room.y;
    drawing_.text(x, y + 44, decision_.caption(), {Font::sansBold, 12, kOrder, Align::centre});
    drawing_.text(x, y + 60, decision_.seen[side_], {Font::sansBold, 9.5, colour_, Align::centre});
    if (!decision_.next[side_].empty())
      drawing_.text(x, y + 74, decision_.next[side_], {Font::sans, 9, kMuted, Align::centre});
  }

  // The way of the run that takes this exit.
  const std::string& label(bool isTaken) const {
    return isTaken ? decision_.outcome[side_] : decision_.way[1 - side_];
  }
  TextStyle labelStyle(bool isTaken, Align align) const {
    if (isTaken) return {Font::sansBold, 9.5, colour_, align};
    return {Font::sans, 9, kMuted, align};
  }

  void paintBottomExit(const Rect& diamond, bool isTaken) {
    const double x = diamond.centre().x, from = diamond.bottom(),
                 band = parts_.placed(side_, g_.row(decision_.row)).bottom();
    const double to = isTaken || isBlockNext() ? next().y : std::min(next().y, from + kStub);
    if (isTaken) {
      drawing_.line({x, from}, {x, to}, colour_, kExit, Stroke::solid);
      openHead(drawing_, {x, to}, {x, from}, colour_);
    } else {
      drawing_.line({x, from}, {x, to}, kGhost, 1.2, Stroke::dotted);
    }
    drawing_.text(x + 8, band + 13, label(isTaken), labelStyle(isTaken, Align::left));
  }

  void paintSideExit(const Rect& diamond, bool isTaken) {
    const double x = parts_.origin(side_).x + g_.sideExitX(), y = diamond.centre().y;
    const Token line = isTaken ? colour_ : kGhost;
    const double weight = isTaken ? kExit : 1.2;
    const Stroke style = isTaken ? Stroke::solid : Stroke::dotted;
    drawing_.line({diamond.right(), y}, {x, y}, line, weight, style);
    const double room = x - diamond.right() + 10;
    std::string words = label(isTaken);
    const TextStyle text = labelStyle(isTaken, Align::right);
    if (textWidth(words, text.font, text.size) > room + 24 && isTaken) words = decision_.way[side_];
    if (textWidth(words, text.font, text.size) <= room + 24) drawing_.text(x + 6, y - 6, words, text);
    if (!isTaken) {
      drawing_.line({x, y}, {x, y + 24}, line, weight, style);
      return;
    }
    const Target target = nextHere();
    if (target.isCard) {
      drawing_.line({x, y}, {x, target.rect.centre().y}, line, weight, style);
      drawing_.line({x, target.rect.centre().y}, {target.rect.right(), target.rect.centre().y}, line, weight,
                    style);
      openHead(drawing_, {target.rect.right(), target.rect.centre().y}, {x, target.rect.centre().y}, line);
    } else {
      drawing_.line({x, y}, {x, target.rect.y}, line, weight, style);
      openHead(drawing_, {x, target.rect.y}, {x, y}, line);
    }
  }

  // What the exit at the bottom comes to: the next thing in the lane, whatever it is.
  Rect next() const {
    const double band = g_.row(decision_.row).bottom();
    Rect nearest = parts_.placed(side_, {0, g_.height() - 6, 0, 0});
    auto consider = [&](const Rect& rect) {
      const Rect placed = parts_.placed(side_, rect);
      if (rect.y >= band && placed.y < nearest.y) nearest = placed;
    };
    for (const Block& block : p_.blocks)
      if (block.lane == lane_) consider(g_.block(block));
    for (const Ghost& ghost : p_.ghosts[side_])
      if (ghost.lane == lane_) consider(g_.ghost(ghost));
    for (size_t i = decision_.row + 1; i < p_.rows.size(); ++i) {
      const Row& row = p_.rows[i];
      if (row.isFold()) {
        Rect fold = g_.row(i);
        fold.y += 3;
        consider(fold);
      } else if (!row.isLine() && row.step[side_] > 0 && p_.cardOf(row).lane == lane_) {
        consider(g_.card(i));
      }
    }
    return nearest;
  }
  bool isBlockNext() const {
    return std::any_of(p_.blocks.begin(), p_.blocks.end(), [&](const Block& block) {
      return block.lane == lane_ && parts_.placed(side_, g_.block(block)).y == next().y;
    });
  }
  // Where the run itself goes on: a card or a block of its own, or a fold.
  struct Target {
    Rect rect;
    bool isCard = false;
  };
  Target nextHere() const {
    for (size_t i = decision_.row + 1; i < p_.rows.size(); ++i) {
      const Row& row = p_.rows[i];
      if (row.isFold()) {
        Rect fold = parts_.placed(side_, g_.row(i));
        fold.y += 3;
        return {fold, false};
      }
      if (row.isTitle() && p_.blocks[*row.block].lane == lane_ && p_.blocks[*row.block].side == side_) {
        Rect block = parts_.placed(side_, g_.block(p_.blocks[*row.block]));
        block.height = std::min(block.height, 20.0);
        return {block, true};
      }
      if (!row.isLine() && row.step[side_] > 0 && p_.cardOf(row).lane == lane_)
        return {parts_.placed(side_, g_.card(i)), true};
    }
    return {parts_.placed(side_, {0, g_.height() - 6, 0, 0}), false};
  }

  const SvgParts& parts_;
  const Picture& p_;
  const PanelGeometry& g_;
  Drawing& drawing_;
  const PictureDecision& decision_;
  size_t side_;
  Token colour_;
  double weight_;
  size_t lane_;
};

// Lines from the upper right to the lower left, cut at the rectangle. Graphviz has no pattern.
void hatch(Drawing& drawing, const Rect& r) {
  constexpr double kPitch = 9;
  for (double c = kPitch; c < r.width + r.height; c += kPitch) // x + y = c, from its corner
    drawing.line({r.x + std::min(c, r.width), r.y + std::max(0.0, c - r.width)},
                 {r.x + std::max(0.0, c - r.height), r.y + std::min(c, r.height)}, kHairline, 1, Stroke::solid);
}

void paintAbsent(const SvgParts& parts, const Rect& rect, const Block& block) {
  parts.drawing.rectangle(rect, kLane, kLane);
  hatch(parts.drawing, rect);
  parts.drawing.outline(rect, kGhost, 1, Stroke::solid);
  const Point c = rect.centre();
  auto plate = [&](double baseline, std::string_view words, Font font, double size) {
    const double width = textWidth(words, font, size) + 6;
    parts.drawing.rectangle({c.x - width / 2, baseline - size, width, size + 3}, kLane, kLane);
    parts.drawing.text(c.x, baseline, words, {font, size, kMuted, Align::centre});
  };
  plate(c.y - 2, kAbsentWords, Font::sansBold, 9.5);
  plate(c.y + 11, block.absent(), Font::sans, 9);
}

} // namespace

void paintDecision(const SvgParts& parts, size_t side) { DecisionPainter(parts, side).paint(); }

void paintBlocks(const SvgParts& parts, size_t side) {
  for (const Block& block : parts.picture.blocks) {
    const Rect rect = parts.placed(side, parts.geometry.block(block));
    if (block.side != side) {
      paintAbsent(parts, rect, block);
      continue;
    }
    parts.drawing.rectangle(rect, sideTint(side), sideTint(side));
    parts.drawing.outline(rect, sideColour(side), 1.2, Stroke::solid);
    parts.drawing.text(rect.x + 6, rect.y + 12, block.title(), {Font::sansBold, 9, sideColour(side)});
  }
  for (size_t i = 0; i < parts.picture.rows.size(); ++i) {
    const Row& row = parts.picture.rows[i];
    if (!row.isLine() || row.isTitle() || parts.picture.blocks[*row.block].side != side) continue;
    const Rect line = parts.placed(side, parts.geometry.row(i)),
               block = parts.placed(side, parts.geometry.block(parts.picture.blocks[*row.block]));
    parts.drawing.text(block.x + 9, line.y + 11, row.note, {Font::sans, 9, kMuted});
  }
}

// "turned:" and "control:" with a cell for each run: filled ones pass, hollow ones with a stroke do not.
void paintContrast(const SvgParts& parts, double x, double baseline) {
  const Contrast& c = *parts.picture.contrast;
  Drawing& drawing = parts.drawing;
  auto say = [&](const std::string& words, const TextStyle& style, double behind) {
    drawing.text(x, baseline, words, style);
    x += textWidth(words, style.font, style.size) + behind;
  };
  auto cells = [&](size_t pass, size_t runs) {
    const size_t all = std::min(runs, kMostCells), filled = runs == 0 ? 0 : (pass * all + runs / 2) / runs;
    for (size_t i = 0; i < all; ++i, x += 9) {
      const Rect cell{x, baseline - 8.5, 7, 9};
      const Token colour = i < filled ? kPass : kFail;
      drawing.rectangle(cell, i < filled ? kPass : kPage, colour);
      if (i >= filled) drawing.line({cell.x, cell.y}, {cell.right(), cell.bottom()}, colour, 1, Stroke::solid);
    }
    x += 6;
    say(fmt::format("{}/{} pass", pass, runs), {Font::sansBold, 10, pass * 2 >= runs ? kPass : kFail}, 10);
  };
  say("Contrast", {Font::sansBold, 10, kInk}, 18);
  say("turned:", {Font::sansBold, 10, kInk}, 6);
  cells(c.turnedPass, c.turnedRuns);
  say("·", {Font::sansBold, 10, kInk}, 10);
  say("control:", {Font::sansBold, 10, kInk}, 6);
  cells(c.controlPass, c.controlRuns);
  x += 6;
  const double chance = chanceOf(c);
  say(fmt::format("decision turned / left as recorded, each continued with the same seeds; {}",
                  chance < 0.001          ? "p < 0.001"
                  : chance < kSignificant ? fmt::format("p = {:.3f}", chance)
                                          : fmt::format("p = {:.2f}: may be luck", chance)),
      {Font::sans, 9, kMuted}, 0);
}

double paintRunsLegend(const SvgParts& parts, double left, double y) {
  Drawing& drawing = parts.drawing;
  double x = left;
  auto entry = [&](double sample, std::string_view words) {
    drawing.text(x + sample + 6, y + 3, words, {Font::sans, 9, kInk});
    x += sample + 6 + textWidth(words, Font::sans, 9) + 24;
  };
  if (parts.picture.decision) {
    drawing.polygon({{x + 11, y - 7}, {x + 22, y}, {x + 11, y + 7}, {x, y}}, kChip, kOrder, kExit);
    entry(22, parts.picture.decision->isDecisive ? "decision" : "where the runs part");
    drawing.line({x, y}, {x + 22, y}, kOrder, kExit, Stroke::solid);
    drawing.line({x + 15, y - 4}, {x + 22, y}, kOrder, kExit, Stroke::solid);
    drawing.line({x + 15, y + 4}, {x + 22, y}, kOrder, kExit, Stroke::solid);
    entry(22, "way taken");
  }
  if (!parts.picture.blocks.empty()) {
    drawing.rectangle({x, y - 6, 20, 12}, sideTint(kFailing), sideColour(kFailing));
    entry(20, "only in this run");
    drawing.rectangle({x, y - 6, 20, 12}, kLane, kLane);
    hatch(drawing, {x, y - 6, 20, 12});
    drawing.outline({x, y - 6, 20, 12}, kGhost, 1, Stroke::solid);
    entry(20, "does not happen in this run");
  }
  return x - left;
}

} // namespace symbiosis
