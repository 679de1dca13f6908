// The picture: a side-by-side diff of two schedules, anchored on the failure. Graphviz draws it with our
// positions; what it cannot say (the dark theme, the accessible title) is written into its SVG afterwards.
#include "viz/svg_view.h"
#include "dsp/wording.h"
#include "viz/drawing.h"
#include "viz/folding.h"
#include "viz/panel_geometry.h"
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
constexpr double kLegend = 26, kFooterLine = 14;

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
    height_ = header_ + bodyHeight_ + kLegend + 8 + kFooterLine * double(footer_.size()) + 8;
    drawing_.emplace(width_, height_);
  }

  Drawing& paint() {
    if (isWhole_) paintHeader();
    if (geometry_) {
      paintPanel(kFailing);
      if (p_.hasAlternate) {
        paintGutter();
        paintPanel(kAlternate);
      }
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
    const double y = header_ + bodyHeight_ + 17;
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
    double y = header_ + bodyHeight_ + kLegend + 4;
    drawing_->line({kMargin, y}, {width_ - kMargin, y}, kHairline, 1, Stroke::solid);
    for (const std::string& line : footer_) drawing_->text(kMargin, y += kFooterLine, line, {Font::sans, 9, kInk});
  }

  // --- panels ---

  const ThreadColours& threadColours(size_t lane) const {
    return isOthers(lane) ? kOthers : ofThread(p_.lanes[lane]);
  }
  bool isOthers(size_t lane) const { return p_.lanes[lane] == kNone; }

  Point origin(size_t side) const {
    return {kMargin + (side == kFailing ? 0 : geometry_->width() + geometry_->gutter()), header_};
  }
  Rect placed(size_t side, Rect rect) const {
    rect.x += origin(side).x, rect.y += origin(side).y;
    return rect;
  }
  static Token colour(size_t side) { return side == kFailing ? kFail : kPass; }
  static Token tint(size_t side) { return side == kFailing ? kFailTint : kPassTint; }

  void paintPanel(size_t side) {
    const PanelGeometry& g = *geometry_;
    drawing_->rectangle(placed(side, {0, 0, g.width(), g.height()}), kPanel, kHairline);
    const Rect title = placed(side, g.title());
    drawing_->rectangle(title, colour(side), colour(side));
    drawing_->text(title.x + 10, title.y + 19, side == kFailing ? "✗  FAILING SCHEDULE" : "✓  ALTERNATE SCHEDULE",
                   {Font::sansBold, 12.5, kPage});
    drawing_->text(title.right() - 10, title.y + 18.5, p_.verdict[side], {Font::sans, 10.5, kPage, Align::right});
    paintLanes(side);
    paintFailingRow(side);
    for (const Ghost& ghost : p_.ghosts[side]) paintGhost(side, ghost);
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
    drawing_->rectangle(row, tint(side), colour(side));
    const Rect room = placed(side, geometry_->verdict(side));
    if (room.width > 0)
      drawing_->text(room.centre().x, row.centre().y + 5, side == kFailing ? "✗ FAILS" : "✓ PASSES",
                     {Font::sansBold, 14, colour(side), Align::centre});
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
    if (row.step[side] == 0) return;
    const Card& card = p_.cardOf(row);
    const Rect rect = placed(side, geometry_->card(i));
    drawing_->text(origin(side).x + 20, rect.centre().y + 4, fmt::format("{}", row.step[side]),
                   {card.isKey ? Font::sansBold : Font::sans, card.isKey ? 11.0 : 9.0, card.isKey ? kInk : kMuted,
                    Align::right});
    const std::string id = nodeId(side, row.card), tip = tooltip(card, row, side);
    annotate(id, {{"data-event", card.id}}, tip);
    drawing_->node({id, fmt::format("event {}", eventClass(card)), tip}, rect,
                   table(card, side, rect, endsArrow(side, row.card)));
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

  // A stripe in the thread's colour, the source line, and below it (in a context row beside it) what
  // happened. Every cell has its size: Graphviz would measure the text with whatever fonts it finds.
  std::string table(const Card& card, size_t side, const Rect& rect, bool isEnd) const {
    const CardText text = cardText(card, side);
    const Token frame = isEnd ? colour(side) : kHairline, wordsColour = isEnd ? colour(side) : kInk;
    const int width = int(rect.width), height = int(rect.height), border = isEnd ? 2 : 1;
    const int rows = card.isKey ? 2 : 1, inner = height - 2 * border, room = width - 2 * border - 16;
    const double size = card.isKey ? 10 : 9;
    const std::string source =
        font("DejaVu Sans Mono", size, kMuted, text.place.empty() ? "" : tableText(text.place + " ")) +
        font("DejaVu Sans Mono", size, kInk, tableText(text.code));
    const std::string open = fmt::format(
        R"(<TABLE BORDER="{}" COLOR="{}" BGCOLOR="{}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" FIXEDSIZE="TRUE" WIDTH="{}" HEIGHT="{}"><TR>)",
        border, frame.light, kCard.light, width, height);
    const std::string stripe =
        fmt::format(R"(<TD ROWSPAN="{}" WIDTH="5" HEIGHT="{}" FIXEDSIZE="TRUE" BGCOLOR="{}"></TD>)", rows, inner,
                    threadColours(card.lane).stripe.light);
    const std::string before =
                          fmt::format(R"(<TD ROWSPAN="{}" WIDTH="6" HEIGHT="8" FIXEDSIZE="TRUE"></TD>)", rows),
                      after = fmt::format(R"(<TD ROWSPAN="{}" WIDTH="5" HEIGHT="8" FIXEDSIZE="TRUE"></TD>)", rows);
    if (!card.isKey) {
      const int words = int(textWidth(text.words, Font::sans, 9)) + 4;
      return open + stripe + before + cell("LEFT", room - words, inner, 1, source) +
             cell("RIGHT", words, inner, 1, font("DejaVu Sans", 9, wordsColour, tableText(text.words))) + after +
             "</TR></TABLE>";
    }
    // "reads <b>0</b>", or words without a value
    const std::string verb = card.verb() + " ";
    const bool hasValue = verb.size() > 1 && text.words.starts_with(verb);
    const std::string words = hasValue
                                  ? tableText(verb) + "<B>" + tableText(text.words.substr(verb.size())) + "</B>"
                                  : tableText(text.words);
    const int lock = text.lock.empty() ? 2 : int(textWidth(text.lock, Font::sans, 8)) + 4, top = inner / 2 + 1;
    return open + stripe + before + cell("LEFT", room, top, 2, source) + after + "</TR><TR>" +
           cell("LEFT", room - lock, inner - top, 1, font("DejaVu Sans", 10, wordsColour, words)) +
           cell("RIGHT", lock, inner - top, 1, font("DejaVu Sans", 8, kMuted, tableText(text.lock))) +
           "</TR></TABLE>";
  }
  static std::string font(const char* face, double size, Token c, const std::string& content) {
    if (content.empty()) return "";
    return fmt::format(R"(<FONT FACE="{}" POINT-SIZE="{}" COLOR="{}">{}</FONT>)", face, size, c.light, content);
  }
  static std::string cell(const char* align, int width, int height, int columns, const std::string& content) {
    return fmt::format(R"(<TD ALIGN="{}" WIDTH="{}" HEIGHT="{}" COLSPAN="{}" FIXEDSIZE="TRUE">{}</TD>)", align,
                       width, height, columns, content);
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
    drawing_->edge({id, isFlow ? "flow" : "order", tip}, from, to, path, isFlow ? colour(side) : kOrder,
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
    drawing_->node(
        {id, "chip", tip}, rect,
        fmt::format(
            R"(<TABLE BORDER="1" COLOR="{0}" BGCOLOR="{1}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" STYLE="ROUNDED" FIXEDSIZE="TRUE" WIDTH="{2}" HEIGHT="{3}">)"
            "<TR>{4}</TR></TABLE>",
            colour(side).light, kChip.light, int(rect.width), int(rect.height),
            cell("CENTER", int(rect.width) - 2, int(rect.height) - 2, 1,
                 font("DejaVu Sans Mono", 10, colour(side), "<B>" + tableText(words) + "</B>"))));
  }

  // --- between the panels ---

  void paintGutter() {
    const double left = origin(kFailing).x + geometry_->width(), right = origin(kAlternate).x;
    const double failY = header_ + geometry_->row(p_.failureRow).centre().y;
    std::vector<Rect> labels;
    const auto difference = p_.difference();
    if (difference) labels.push_back({left + 8, failY - 14, right - left - 16, 28});
    for (const Move& move : p_.moves) paintBand(move, left, right);
    for (const Move& move : p_.moves) paintMoveLabel(move, left, right, labels);
    if (!difference) return;
    drawing_->rectangle(labels[0], kCard, kInk);
    std::string words = fmt::format("{}  ≠  {}", (*difference)[kFailing], (*difference)[kAlternate]);
    double size = 12;
    while (size > 7 && textWidth(words, Font::sansBold, size) > labels[0].width - 6) size -= 0.5;
    if (textWidth(words, Font::sansBold, size) > labels[0].width - 6) words = "≠";
    drawing_->text(labels[0].centre().x, failY + 4, words, {Font::sansBold, size, kInk, Align::centre});
  }

  std::pair<Token, Token> moveColours(const Move& move) const { // tint, stroke
    if (!move.lane) return {kLane, kMuted};
    return {threadColours(*move.lane).tint, threadColours(*move.lane).stripe};
  }
  double bandTop(const Move& move, size_t side) const {
    return header_ + geometry_->row(move.firstRow[side]).y + 2;
  }
  double bandBottom(const Move& move, size_t side) const {
    return header_ + geometry_->row(move.lastRow[side]).bottom() - 2;
  }

  void paintBand(const Move& move, double left, double right) {
    const auto [fill, stroke] = moveColours(move);
    drawing_->polygon({{left, bandTop(move, kFailing)},
                       {right, bandTop(move, kAlternate)},
                       {right, bandBottom(move, kAlternate)},
                       {left, bandBottom(move, kFailing)}},
                      fill, stroke);
  }

  // In the middle of its band, or as near to it as the other labels allow.
  void paintMoveLabel(const Move& move, double left, double right, std::vector<Rect>& taken) {
    std::vector<std::string> lines{move.lane
                                       ? p_.threadNames[*move.lane] + (isOthers(*move.lane) ? " move" : " moves")
                                       : fmt::format("{} events move", move.events)};
    const Row& failing = p_.rows[p_.failureRow];
    const size_t f = move.firstRow[kFailing], a = move.firstRow[kAlternate], check = p_.failureRow;
    const std::string& who = p_.cardOf(failing).who;
    if ((f < check) != (a < check)) {
      lines.push_back(move.later ? "after" : "before");
      lines.push_back(fmt::format("{}'s {} {}", shortenMiddle(who, 6), p_.isWaiting ? "wait" : "check",
                                  move.later ? "↓" : "↑"));
    } else {
      lines.push_back(move.later ? "later ↓" : "earlier ↑");
    }
    const double height = 12 * double(lines.size()) + 6, body = header_ + geometry_->height() - height;
    const double wish = (bandTop(move, kFailing) + bandBottom(move, kFailing) + bandTop(move, kAlternate) +
                         bandBottom(move, kAlternate)) /
                            4 -
                        height / 2;
    auto isFree = [&](double y) {
      return y >= header_ + 30 && y <= body && std::all_of(taken.begin(), taken.end(), [&](const Rect& other) {
               return y + height + 3 <= other.y || other.bottom() + 3 <= y;
             });
    };
    for (int shift = 0; shift < int(geometry_->height()); shift += 2)
      for (double y : {wish - shift, wish + shift}) {
        if (!isFree(y)) continue;
        const auto [fill, stroke] = moveColours(move);
        const Rect rect{left + 6, y, right - left - 12, height};
        taken.push_back(rect);
        drawing_->rectangle(rect, kChip, stroke);
        for (size_t i = 0; i < lines.size(); ++i)
          drawing_->text(rect.centre().x, y + 12.5 + 12 * double(i), lines[i],
                         {Font::sansBold, 9, stroke, Align::centre});
        return;
      }
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
  std::vector<std::string> footer_;
  std::vector<std::pair<Rect, std::string>> chips_; // and what they say
  double width_ = 0, height_ = 0, bodyHeight_ = 0;
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
      description +=
          fmt::format(" {} schedule: {}.", side == kFailing ? "Failing" : "Alternate", picture.verdict[side]);
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
