// Between the panels: the bands of what moved, what the decision was, and what the failing check saw.
#include "dsp/wording.h"
#include "viz/svg_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

using namespace palette;

namespace {

class GutterPainter {
public:
  explicit GutterPainter(const SvgParts& parts)
      : p_(parts.picture), geometry_(parts.geometry), drawing_(parts.drawing), parts_(parts) {}

  void paint() {
    const double left = parts_.origin(kFailing).x + geometry_.width(), right = parts_.origin(kAlternate).x;
    const double failY = parts_.top + geometry_.row(p_.failureRow).centre().y;
    std::vector<Rect> labels;
    const auto difference = p_.difference();
    if (difference) labels.push_back({left + 8, failY - 14, right - left - 16, 28});
    if (p_.decision) labels.push_back(decisionBox(left, right));
    for (const Move& move : p_.moves) paintBand(move, left, right);
    for (const Move& move : p_.moves) paintMoveLabel(move, left, right, labels);
    if (p_.decision) paintDecisionBox(decisionBox(left, right));
    if (!difference) return;
    drawing_.rectangle(labels[0], kCard, kInk);
    std::string words = fmt::format("{}  ≠  {}", (*difference)[kFailing], (*difference)[kAlternate]);
    double size = 12;
    while (size > 7 && textWidth(words, Font::sansBold, size) > labels[0].width - 6) size -= 0.5;
    if (textWidth(words, Font::sansBold, size) > labels[0].width - 6)
      words = p_.isWaiting && p_.areRuns ? "waits ≠ goes on" : "≠", size = 9;
    drawing_.text(labels[0].centre().x, failY + 4, words, {Font::sansBold, size, kInk, Align::centre});
  }

private:
  Rect decisionBox(double left, double right) const {
    return {left + 8, parts_.top + geometry_.row(p_.decision->row).centre().y - 25, right - left - 16, 50};
  }
  void paintDecisionBox(const Rect& box) {
    drawing_.rectangle(box, kCard, kInk);
    const double x = box.centre().x;
    auto say = [&](double baseline, const std::string& words, const std::string& brief) {
      double size = 10;
      while (size > 7.5 && textWidth(words, Font::sansBold, size) > box.width - 8) size -= 0.5;
      const bool fits = textWidth(words, Font::sansBold, size) <= box.width - 8;
      drawing_.text(x, box.y + baseline, fits ? words : shortenMiddle(brief, 12),
                    {Font::sansBold, fits ? size : 10, kInk, Align::centre});
    };
    say(15, p_.decision->outcome[kFailing], p_.decision->way[kFailing]);
    say(29, "≠", "≠");
    say(43, p_.decision->outcome[kAlternate], p_.decision->way[kAlternate]);
  }

  std::pair<Token, Token> moveColours(const Move& move) const { // tint, stroke
    if (!move.lane) return {kLane, kMuted};
    return {parts_.threadColours(*move.lane).tint, parts_.threadColours(*move.lane).stripe};
  }
  double bandTop(const Move& move, size_t side) const {
    return parts_.top + geometry_.row(move.firstRow[side]).y + 2;
  }
  double bandBottom(const Move& move, size_t side) const {
    return parts_.top + geometry_.row(move.lastRow[side]).bottom() - 2;
  }

  void paintBand(const Move& move, double left, double right) {
    const auto [fill, stroke] = moveColours(move);
    drawing_.polygon({{left, bandTop(move, kFailing)},
                      {right, bandTop(move, kAlternate)},
                      {right, bandBottom(move, kAlternate)},
                      {left, bandBottom(move, kFailing)}},
                     fill, stroke);
  }

  // In the middle of its band, or as near to it as the other labels allow.
  void paintMoveLabel(const Move& move, double left, double right, std::vector<Rect>& taken) {
    std::vector<std::string> lines{move.lane ? p_.threadNames[*move.lane] +
                                                   (parts_.isOthers(*move.lane) ? " move" : " moves")
                                             : fmt::format("{} events move", move.events)};
    const Row& failing = p_.rows[p_.failureRow];
    const size_t f = move.firstRow[kFailing], a = move.firstRow[kAlternate], check = p_.failureRow;
    const std::string& who = p_.cardOf(failing).who;
    const auto crosses = [&](size_t row) { return (f < row) != (a < row); };
    if (p_.decision && crosses(p_.decision->row)) {
      const Card& decides = p_.cardOf(p_.rows[p_.decision->row]);
      lines.push_back(move.later ? "after" : "before");
      lines.push_back(fmt::format("{}'s {} {}", shortenMiddle(decides.who, 6),
                                  decides.verb().empty() ? "try" : "test", move.later ? "↓" : "↑"));
    } else if (crosses(check)) {
      lines.push_back(move.later ? "after" : "before");
      lines.push_back(fmt::format("{}'s {} {}", shortenMiddle(who, 6), p_.isWaiting ? "wait" : "check",
                                  move.later ? "↓" : "↑"));
    } else {
      lines.push_back(move.later ? "later ↓" : "earlier ↑");
    }
    const double height = 12 * double(lines.size()) + 6, body = parts_.top + geometry_.height() - height;
    const double wish = (bandTop(move, kFailing) + bandBottom(move, kFailing) + bandTop(move, kAlternate) +
                         bandBottom(move, kAlternate)) /
                            4 -
                        height / 2;
    auto isFree = [&](double y) {
      return y >= parts_.top + 30 && y <= body && std::all_of(taken.begin(), taken.end(), [&](const Rect& other) {
               return y + height + 3 <= other.y || other.bottom() + 3 <= y;
             });
    };
    for (int shift = 0; shift < int(geometry_.height()); shift += 2)
      for (double y : {wish - shift, wish + shift}) {
        if (!isFree(y)) continue;
        const auto [fill, stroke] = moveColours(move);
        const Rect rect{left + 6, y, right - left - 12, height};
        taken.push_back(rect);
        drawing_.rectangle(rect, kChip, stroke);
        for (size_t i = 0; i < lines.size(); ++i)
          drawing_.text(rect.centre().x, y + 12.5 + 12 * double(i), lines[i],
                        {Font::sansBold, 9, stroke, Align::centre});
        return;
      }
  }

  const Picture& p_;
  const PanelGeometry& geometry_;
  Drawing& drawing_;
  const SvgParts& parts_;
};

} // namespace

void paintGutter(const SvgParts& parts) { GutterPainter(parts).paint(); }

} // namespace symbiosis
