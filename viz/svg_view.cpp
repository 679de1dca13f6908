// The picture: a side-by-side diff of two schedules, anchored on the failure. Graphviz draws it with our
// positions; what it cannot say (the dark theme, the accessible title) is written into its SVG afterwards.
#include "viz/svg_view.h"
#include "dsp/wording.h"
#include "viz/drawing.h"
#include "viz/folding.h"
#include "viz/panel_geometry.h"
#include "viz/svg_parts.h"
#include "viz/text.h"
#include "viz/views.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace symbiosis {

namespace {

using namespace palette;

constexpr double kMargin = 12;
constexpr size_t kMostRows = 100; // a page can show more, but nobody can read it
constexpr double kLegend = 26, kFooterLine = 14, kContrast = 24;

// Lines of at most `width` points.
std::vector<std::string> wrappedToWidth(const std::string& text, Font font, double size, double width) {
  const double perCharacter = textWidth("n", font, size);
  for (size_t columns = std::max<size_t>(20, size_t(width / perCharacter * 1.2));; columns -= 4) {
    std::vector<std::string> lines = wrapped(text, columns, "  ");
    const bool fits = std::all_of(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return textWidth(line, font, size) <= width; });
    if (fits || columns <= 20) return lines;
  }
}

class SvgPainter {
public:
  SvgPainter(const Picture& picture, SvgFrame frame)
      : p_(picture), isWhole_(frame == SvgFrame::whole), header_(isWhole_ ? 86 : kMargin) {
    if (!p_.rows.empty()) geometry_.emplace(p_);
    const double panels = !geometry_        ? 0
                          : p_.hasAlternate ? 2 * geometry_->width() + geometry_->gutter()
                                            : geometry_->width();
    width_ = std::max({panels, 640.0, isWhole_ ? headerWidth() : 0}) + 2 * kMargin;
    for (const std::string& sentence : {p_.cause, p_.alternative, "Certificate: " + p_.certificate})
      for (const std::string& line :
           !isWhole_ ? std::vector<std::string>{} : wrappedToWidth(sentence, Font::sans, 9, width_ - 2 * kMargin))
        footer_.push_back(line);
    bodyHeight_ = geometry_ ? geometry_->height() : 0;
    belowPanels_ = header_ + bodyHeight_ + (p_.contrast && geometry_ ? kContrast : 0);
    height_ = belowPanels_ + kLegend + 8 + kFooterLine * double(footer_.size()) + 8;
    drawing_.emplace(width_, height_);
    if (geometry_) parts_.emplace(SvgParts{p_, *geometry_, *drawing_, header_, kMargin});
  }

  Drawing& paint() {
    if (isWhole_) paintHeader();
    if (geometry_) {
      paintPanel(kFailing);
      if (p_.hasAlternate) {
        paintGutter(*parts_);
        paintPanel(kAlternate);
      }
      if (p_.contrast) paintContrast(*parts_, kMargin, header_ + bodyHeight_ + kContrast - 4);
      paintLegend();
    }
    if (isWhole_) paintFooter();
    return *drawing_;
  }

  std::string svg() { return annotated(paint().svg()); }

private:
  // --- header and footer ---

  std::string headline() const { return "✗ " + p_.headline; }
  std::string hint() const { return p_.hasAlternate && !p_.hint.empty() ? "Fix hint: " + p_.hint : p_.hint; }
  std::string facts() const {
    size_t events = 0, flows = 0;
    for (const Row& row : p_.rows) events += row.step[kFailing] > 0;
    for (const Arrow& arrow : p_.arrows[kFailing]) flows += arrow.kind == ArrowKind::dataflow;
    std::string text = p_.file.empty() ? "" : p_.file + " · ";
    if (p_.decision) {
      const Card& decision = p_.cardOf(p_.rows[p_.decision->row]);
      text += fmt::format("two runs that part at {} {}{} · ", decision.who,
                          decision.place.find(':') == std::string::npos ? "line " : "", decision.place);
    }
    text += fmt::format("{} event{} shown", events, events == 1 ? "" : "s");
    if (p_.isWaiting)
      text += p_.hasAlternate ? " · same height = same event" : "";
    else if (p_.hasAlternate)
      text += fmt::format(" · {} changed dataflow{} (thick arrows) · same height = same event", flows,
                          flows == 1 ? "" : "s");
    text += " · time runs down";
    for (const Card& card : p_.cards)
      if (!card.lock.empty())
        return text + fmt::format(" · [{}] = a lock and the lines on which it is held", card.lock);
    return text;
  }
  double headerWidth() const {
    return std::max({textWidth(headline(), Font::sansBold, 13.5), textWidth(hint(), Font::sansBold, 11.5),
                     textWidth(facts(), Font::sans, 9)});
  }
  void paintHeader() {
    drawing_->text(kMargin, 24, headline(), {Font::sansBold, 13.5, kFail});
    drawing_->text(kMargin, 46, hint(), {Font::sansBold, 11.5, kInk});
    drawing_->text(kMargin, 65, facts(), {Font::sans, 9, kMuted});
  }

  void paintLegend() {
    const double y = belowPanels_ + 17;
    double x = kMargin;
    auto entry = [&](double sample, const std::string& words) {
      drawing_->text(x + sample + 6, y + 3, words, {Font::sans, 9, kInk});
      x += sample + 6 + textWidth(words, Font::sans, 9) + 24;
    };
    auto has = [&](size_t side, ArrowKind kind) {
      return std::any_of(p_.arrows[side].begin(), p_.arrows[side].end(),
                         [&](const Arrow& a) { return a.kind == kind; });
    };
    auto arrow = [&](Token colour, double width, Stroke style, bool filled) {
      drawing_->line({x, y}, {x + 14, y}, colour, width, style);
      drawing_->polygon({{x + 14, y - 4}, {x + 22, y}, {x + 14, y + 4}}, filled ? colour : kPage, colour);
    };
    x += paintRunsLegend(*parts_, x, y);
    if (has(kFailing, ArrowKind::dataflow)) {
      arrow(kFail, 2.6, Stroke::solid, true);
      entry(22, p_.hasAlternate ? "dataflow only in the failing run" : "dataflow");
    }
    if (has(kAlternate, ArrowKind::dataflow) && p_.hasAlternate) {
      arrow(kPass, 2.6, Stroke::solid, false);
      entry(22, "dataflow only in the alternate");
    }
    if (has(kFailing, ArrowKind::order) || has(kAlternate, ArrowKind::order)) {
      drawing_->line({x, y}, {x + 20, y}, kOrder, 1.6, Stroke::dashed);
      drawing_->line({x + 15, y - 4}, {x + 21, y}, kOrder, 1.6, Stroke::solid);
      drawing_->line({x + 15, y + 4}, {x + 21, y}, kOrder, 1.6, Stroke::solid);
      entry(22, orderWords());
    }
    if (p_.region) {
      drawing_->outline({x, y - 6, 20, 12}, kOrder, 1.6, Stroke::dashed);
      entry(20, "run atomically");
    }
    if (!p_.moves.empty()) {
      drawing_->outline({x, y - 6, 20, 12}, kGhost, 1.2, Stroke::dotted);
      entry(20, "moved event's other place");
    }
  }

  void paintFooter() {
    double y = belowPanels_ + kLegend + 4;
    drawing_->line({kMargin, y}, {width_ - kMargin, y}, kHairline, 1, Stroke::solid);
    for (const std::string& line : footer_) drawing_->text(kMargin, y += kFooterLine, line, {Font::sans, 9, kInk});
  }

  // --- panels ---

  Point origin(size_t side) const { return parts_->origin(side); }
  Rect placed(size_t side, Rect rect) const { return parts_->placed(side, rect); }
  const ThreadColours& threadColours(size_t lane) const { return parts_->threadColours(lane); }

  void paintPanel(size_t side) {
    const PanelGeometry& g = *geometry_;
    drawing_->rectangle(placed(side, {0, 0, g.width(), g.height()}), kPanel, kHairline);
    const Rect title = placed(side, g.title());
    drawing_->rectangle(title, sideColour(side), sideColour(side));
    drawing_->text(title.x + 10, title.y + 19, (side == kFailing ? "✗  " : "✓  ") + p_.title(side),
                   {Font::sansBold, 12.5, kPage});
    drawing_->text(title.right() - 10, title.y + 18.5, p_.verdict[side], {Font::sans, 10.5, kPage, Align::right});
    paintLanes(side);
    paintFailingRow(side);
    if (p_.decision) paintDecision(*parts_, side);
    for (const Ghost& ghost : p_.ghosts[side]) paintGhost(side, ghost);
    paintBlocks(*parts_, side);
    if (p_.region) paintRegion(side);
    for (size_t row = 0; row < p_.rows.size(); ++row) paintRow(side, row);
    for (size_t i = 0; i < p_.arrows[side].size(); ++i) paintArrow(side, i);
  }

  void paintLanes(size_t side) {
    for (size_t lane = 0; lane < p_.lanes.size(); ++lane) {
      drawing_->rectangle(placed(side, geometry_->lane(lane)), kLane, kLane);
      const Rect header = placed(side, geometry_->laneHeader(lane));
      drawing_->rectangle(header, threadColours(lane).tint, threadColours(lane).stripe);
      drawing_->text(header.centre().x, header.y + 15, p_.laneNames[lane],
                     {Font::sansBold, 10.5, threadColours(lane).stripe, Align::centre});
    }
  }

  void paintFailingRow(size_t side) {
    const Rect row = placed(side, geometry_->row(p_.failureRow));
    drawing_->rectangle(row, sideTint(side), sideColour(side));
    const Rect room = placed(side, geometry_->verdict(side));
    if (room.width > 0)
      drawing_->text(room.centre().x, row.centre().y + 5, side == kFailing ? "✗ FAILS" : "✓ PASSES",
                     {Font::sansBold, 14, sideColour(side), Align::centre});
  }

  void paintGhost(size_t side, const Ghost& ghost) {
    const Rect rect = placed(side, geometry_->ghost(ghost));
    drawing_->outline(rect, kGhost, 1.2, Stroke::dotted);
    const std::string words = ghost.runsLater ? "↓ runs later" : "↑ ran earlier";
    const Point c = rect.centre();
    if (rect.height >= 30) {
      drawing_->text(c.x, c.y - 2, words, {Font::sansBold, 9.5, kMuted, Align::centre});
      drawing_->text(c.x, c.y + 11, "(" + stepWords(ghost) + ")", {Font::sans, 9, kMuted, Align::centre});
      return;
    }
    const std::string both = words + " (" + stepWords(ghost) + ")";
    const bool fits = textWidth(both, Font::sans, 9) <= rect.width - 4;
    drawing_->text(c.x, c.y + 3.5, fits ? both : words, {Font::sans, 9, kMuted, Align::centre});
  }

  void paintRegion(size_t side) {
    const Rect rect = placed(side, geometry_->region(*p_.region, side));
    drawing_->outline(rect, kOrder, 1.6, Stroke::dashed);
    const std::string words = p_.region->isSplit[side] ? fmt::format("split by {} ✗", p_.region->by)
                                                       : fmt::format("not split by {} ✓", p_.region->by);
    const double width = textWidth(words, Font::sansBold, 8.5);
    const double left = std::max(rect.x + 2, rect.right() - width - 14);
    drawing_->rectangle({left, rect.y - 5.5, width + 8, 11}, kPanel, kPanel);
    drawing_->text(left + 4, rect.y + 3, words, {Font::sansBold, 8.5, kOrder});
  }

  void paintRow(size_t side, size_t i) {
    const Row& row = p_.rows[i];
    if (row.isFold()) {
      Rect rect = placed(side, geometry_->row(i));
      rect = {rect.x + 2, rect.y + 3, rect.width - 4, rect.height - 6};
      drawing_->outline(rect, kHairline, 1, Stroke::dashed);
      drawing_->text(placed(side, geometry_->lane(0)).x + 6, rect.centre().y + 3, "⋯ " + foldWords(row),
                     {Font::sans, 9, kMuted});
      return;
    }
    if (row.isLine() || row.step[side] == 0) return;
    const Card& card = p_.cardOf(row);
    const Rect rect = placed(side, geometry_->card(i));
    drawing_->text(origin(side).x + 20, rect.centre().y + 4, fmt::format("{}", row.step[side]),
                   {card.isKey ? Font::sansBold : Font::sans, card.isKey ? 11.0 : 9.0, card.isKey ? kInk : kMuted,
                    Align::right});
    const std::string id = nodeId(side, row.card), tip = tooltip(card, row, side);
    annotate(id, {{"data-event", card.id}}, tip);
    drawing_->node(
        {id, fmt::format("event {}", eventClass(card)), tip}, rect,
        cardTable(card, side, rect, threadColours(card.lane).stripe, endsArrow(side, row.card) || isDecision(i)));
  }
  std::string nodeId(size_t side, size_t card) const {
    return fmt::format("{}_{}", side == kFailing ? "failing" : "alternate", eventClass(p_.cards[card]));
  }
  // "0.2:14" is no name in CSS; "e0_2_14" is, and as unique. (Graphviz would write "-" as an entity.)
  static std::string eventClass(const Card& card) {
    std::string name = "e";
    for (char c : card.id) name += (c >= '0' && c <= '9') ? c : '_';
    return name;
  }
  bool isDecision(size_t row) const { return p_.decision && p_.decision->row == row; }
  bool endsArrow(size_t side, size_t card) const {
    return std::any_of(p_.arrows[side].begin(), p_.arrows[side].end(), [&](const Arrow& a) {
      return a.kind == ArrowKind::dataflow && ((a.fromRow && a.fromCard == card) || (a.toRow && a.toCard == card));
    });
  }
  const char* orderWords() const { return p_.isWaiting ? "order that matters" : "order changed, no data"; }
  std::string tooltip(const Card& card, const Row& row, size_t side) const {
    std::string text =
        fmt::format("{} {}  {}", card.isOther ? card.who : p_.laneNames[card.lane], card.place, card.code);
    if (!card.value[side].empty())
      text += fmt::format("  {} {}", card.hasWords ? "" : card.variable, card.words(side));
    if (!card.lock.empty()) text += fmt::format("  holds {}", card.lock);
    return text + fmt::format("  (step {})", row.step[side]);
  }

  // --- arrows ---

  void paintArrow(size_t side, size_t i) {
    const Arrow& arrow = p_.arrows[side][i];
    const bool isFlow = arrow.kind == ArrowKind::dataflow;
    std::vector<Point> path = geometry_->path(p_, side, i);
    for (Point& point : path) point.x += origin(side).x, point.y += origin(side).y;
    const std::string from = arrow.fromRow ? nodeId(side, arrow.fromCard) : "",
                      to = arrow.toRow ? nodeId(side, arrow.toCard) : "";
    const std::string id =
        fmt::format("{}_{}_{}", side == kFailing ? "failing" : "alternate", isFlow ? "flow" : "order", i + 1);
    const std::string tip = isFlow ? fmt::format("{} = {}", arrow.variable, arrow.value) : orderWords();
    annotateArrow(id, arrow, tip);
    drawing_->edge({id, isFlow ? "flow" : "order", tip}, from, to, path, isFlow ? sideColour(side) : kOrder,
                   isFlow ? 2.6 : 1.6, isFlow ? Stroke::solid : Stroke::dashed,
                   !isFlow            ? Head::open
                   : side == kFailing ? Head::filled
                                      : Head::hollow);
    if (isFlow) paintChip(side, i, id + "_value", tip);
  }

  void paintChip(size_t side, size_t i, const std::string& id, const std::string& tip) {
    const Rect rect = placed(side, geometry_->chip(p_, side, i));
    const std::string& words = geometry_->route(side, i).chip;
    for (const auto& [other, said] : chips_) // the readers of one write share it where there is no room for two
      if (said == words && other.y == rect.y && other.x < rect.right() + 2 && rect.x < other.right() + 2) return;
    chips_.push_back({rect, words});
    annotateArrow(id, p_.arrows[side][i], tip);
    drawing_->node({id, "chip", tip}, rect, chipTable(words, rect, sideColour(side)));
  }

  // --- what Graphviz cannot write ---

  void annotate(const std::string& id, const std::vector<std::pair<const char*, std::string>>& attributes,
                const std::string& title) {
    std::string& text = attributes_[id];
    for (const auto& [name, value] : attributes) text += fmt::format(" {}=\"{}\"", name, xmlEscaped(value));
    titles_[id] = xmlEscaped(title);
  }
  void annotateArrow(const std::string& id, const Arrow& arrow, const std::string& title) {
    annotate(id,
             {{"data-from", arrow.fromRow ? p_.cards[arrow.fromCard].id : ""},
              {"data-to", arrow.toRow ? p_.cards[arrow.toCard].id : ""}},
             title);
  }
  // Graphviz writes `<g id="ID" class="…">` and then `<title>ITS OWN NAME</title>`, which browsers show.
  std::string annotated(const std::string& svg) const {
    constexpr std::string_view kGroup = "<g id=\"", kTitle = "<title>";
    std::string result;
    size_t done = 0;
    for (size_t at = svg.find(kGroup); at != std::string::npos; at = svg.find(kGroup, at + 1)) {
      const size_t id = at + kGroup.size(), end = svg.find('"', id);
      const auto known = attributes_.find(svg.substr(id, end - id));
      if (known == attributes_.end()) continue;
      const size_t title = svg.find(kTitle, end) + kTitle.size();
      result += svg.substr(done, end + 1 - done) + known->second + svg.substr(end + 1, title - end - 1) +
                titles_.at(known->first);
      done = svg.find("</title>", title);
    }
    return result + svg.substr(done);
  }

  const Picture& p_;
  const bool isWhole_;
  const double header_;                                    // its height
  std::map<std::string, std::string> attributes_, titles_; // by id of the group; escaped
  std::optional<PanelGeometry> geometry_;
  std::optional<Drawing> drawing_;
  std::optional<SvgParts> parts_;
  std::vector<std::string> footer_;
  std::vector<std::pair<Rect, std::string>> chips_; // and what they say
  double width_ = 0, height_ = 0, bodyHeight_ = 0, belowPanels_ = 0;
};

std::string replacedOnce(std::string text, std::string_view what, std::string_view with) {
  const size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

// Graphviz names one family; the page offers more.
std::string withFamilies(std::string svg) {
  for (const auto& [one, list] :
       {std::pair{"font-family=\"DejaVu Sans Mono\"", "font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\""},
        {"font-family=\"DejaVu Sans\"",
         "font-family=\"DejaVu Sans,Verdana,Segoe UI,Helvetica,Arial,sans-serif\""}}) {
    const std::string_view from = one, to = list;
    for (size_t at = svg.find(from); at != std::string::npos; at = svg.find(from, at + to.size()))
      svg.replace(at, from.size(), to);
  }
  return svg;
}

} // namespace

std::string svgOf(const Picture& whole, SvgFrame frame) {
  const Picture picture = folded(whole, kMostRows);
  std::string svg = SvgPainter(picture, frame).svg();
  const size_t body = svg.find('>', svg.find("<svg ")) + 1;
  std::string description = fmt::format("{}. {}", picture.failure, picture.hint);
  for (size_t side : {kFailing, kAlternate})
    if (side == kFailing || picture.hasAlternate)
      description += fmt::format(" {} {}: {}.", side == kFailing ? "Failing" : "Alternate",
                                 picture.areRuns ? "run" : "schedule", picture.verdict[side]);
  svg.insert(body, fmt::format("\n<title id=\"dsp-title\">{}</title>\n<desc id=\"dsp-desc\">{}</desc>\n"
                               "<style>@media (prefers-color-scheme:dark){{{}}}</style>",
                               xmlEscaped(picture.headline), xmlEscaped(tidied(description)), darkRules()));
  svg = replacedOnce(std::move(svg), "<svg ", "<svg role=\"group\" aria-labelledby=\"dsp-title dsp-desc\" ");
  return withFamilies(std::move(svg));
}

std::string renderSvg(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources) {
  return svgOf(makePicture(diagnosis, trace, sources), SvgFrame::whole);
}

std::string renderDot(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources) {
  const Picture picture = folded(makePicture(diagnosis, trace, sources), kMostRows);
  return SvgPainter(picture, SvgFrame::whole).paint().dot();
}

} // namespace symbiosis
