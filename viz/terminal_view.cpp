// The picture as text: two panels of 38 columns with 3 between them. A line of a panel is the step, one
// column per thread, the source line, what it read or wrote, and the arrows' margin:
//
//    4 · ● ┆ 20 filled--;           W 0 ━┓
#include "dsp/wording.h"
#include "viz/folding.h"
#include "viz/rails.h"
#include "viz/terminal_text.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace {

constexpr size_t kColumns = 79, kPanel = 38;
constexpr size_t kLines = 24, kFewestRows = 3;
constexpr size_t kFewFlows = 2;     // said where there is no room for all
constexpr size_t kWidestLanes = 12; // more threads are named instead

// Loses spaces that no one needs, to fit.
std::string squeezed(const std::string& code, size_t width) {
  if (columns(code) <= width) return code;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
  std::string result;
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i] != ' ' || (i > 0 && i + 1 < code.size() && isWord(code[i - 1]) && isWord(code[i + 1])))
      result += code[i];
  return result;
}

class Panel {
public:
  Panel(const Picture& picture, size_t side, size_t width) : picture_(picture), side_(side), width_(width) {
    for (size_t i = 0; i < picture.rows.size(); ++i) {
      lineOf_.push_back(lines_);
      lines_ += !isLeftOut(picture.rows[i]);
      if (i == picture.failureRow) ++lines_; // the verdict
    }
    lanes_ = picture.lanes.size() * 2;
    byName_ = lanes_ > kWidestLanes;
    if (byName_) {
      lanes_ = 0;
      for (const Card& card : picture.cards) lanes_ = std::max(lanes_, columns(card.who) + 1);
      lanes_ = std::min(lanes_, kWidestLanes);
    }
    for (const Card& card : picture.cards) {
      placeWidth_ = std::min<size_t>(10, std::max(placeWidth_, columns(card.place)));
      for (size_t s : {kFailing, kAlternate})
        valueWidth_ = std::min<size_t>(10, std::max(valueWidth_, columns(value(card, s))));
    }
    for (size_t s : {kFailing, kAlternate}) {
      Rails rails(picture.arrows[s], lineOf_, lines_);
      marginWidth_ = std::max(marginWidth_, rails.width());
      if (s == side) rails_ = std::move(rails);
    }
    const size_t fixed = 3 + lanes_ + placeWidth_ + 1 + 1 + valueWidth_ + 1 + marginWidth_;
    codeWidth_ = fixed + 4 < width ? width - fixed : 4;
  }

  size_t lines() const { return lines_; }

  std::string laneHeader() const {
    std::string text = "   ";
    for (size_t lane = 0; lane < picture_.lanes.size() && !byName_; ++lane)
      text += padded(fmt::format("{}", picture_.lanes[lane]), 2);
    if (byName_) text += padded("", lanes_);
    return padded(text + padded("line", std::max<size_t>(4, placeWidth_)), width_);
  }

  // Text and style of one line, width columns.
  std::pair<std::string, Style> line(size_t at) const {
    const size_t row = size_t(std::upper_bound(lineOf_.begin(), lineOf_.end(), at) - lineOf_.begin()) - 1;
    std::pair<std::string, Style> content = lineOf_[row] == at ? rowText(row) : verdict();
    return {padded(content.first, width_ - marginWidth_) + padded(rails_->margin(at), marginWidth_),
            content.second};
  }

private:
  // A block with cards needs no lines for what is not shown.
  bool isLeftOut(const Row& row) const {
    return row.isLine() && !row.isTitle() && picture_.blocks[*row.block].cards > 0;
  }
  const Block* blockAt(size_t row) const {
    for (const Block& block : picture_.blocks)
      if (block.firstRow <= row && row <= block.lastRow &&
          (picture_.rows[row].isLine() ? &block == &picture_.blocks[*picture_.rows[row].block]
                                       : picture_.cardOf(picture_.rows[row]).lane == block.lane))
        return &block;
    return nullptr;
  }

  static std::string value(const Card& card, size_t side) {
    if (card.value[side].empty()) return "";
    if (card.isAfterEnd && side == kFailing) return "(ended)";
    return card.shortWords(side);
  }

  std::pair<std::string, Style> rowText(size_t i) const {
    const Row& row = picture_.rows[i];
    const Style verdictStyle = side_ == kFailing ? Style::fail : Style::pass;
    if (row.isFold()) return {fold(row), Style::faint};
    if (row.isLine()) return blockLine(i, picture_.blocks[*row.block]);
    const Card& card = picture_.cardOf(row);
    if (const Block* block = blockAt(i); block && block->side != side_) return absentLine(i, *block);
    if (row.step[side_] == 0) return {ghost(i), Style::faint};
    if (picture_.decision && picture_.decision->row == i) return {decision(i, card), Style::strong};
    const std::string sign = i != picture_.failureRow ? "●" : side_ == kFailing ? "✗" : "✓";
    return {fmt::format("{} {}{} {} {}", paddedLeft(fmt::format("{}", row.step[side_]), 2),
                        lanes(i, card.lane, sign), paddedLeft(card.place, placeWidth_),
                        padded(squeezed(card.code, codeWidth_), codeWidth_),
                        padded(value(card, side_), valueWidth_)),
            i == picture_.failureRow ? verdictStyle
            : card.isKey             ? Style::plain
                                     : Style::faint};
  }

  // Its outcome takes the room that it needs, from the source line.
  std::string decision(size_t i, const Card& card) const {
    const PictureDecision& d = *picture_.decision;
    const std::string read = card.shortWords(side_),
                      outcome = read.empty() ? d.way[side_]
                                             : read + (read.ends_with(d.way[side_]) ? "" : " → " + d.way[side_]);
    const size_t room = codeWidth_ + 1 + valueWidth_, words = std::min(columns(outcome), room - 5);
    return fmt::format("{} {}{} {} {}", paddedLeft(fmt::format("{}", picture_.rows[i].step[side_]), 2),
                       lanes(i, card.lane, d.isDecisive ? "◆" : "◇"), paddedLeft(card.place, placeWidth_),
                       padded(squeezed(card.code, room - words - 1), room - words - 1), padded(outcome, words));
  }

  // Its title, or how much of it is not shown.
  std::pair<std::string, Style> blockLine(size_t i, const Block& block) const {
    if (block.side != side_) return absentLine(i, block);
    const bool isTitle = picture_.rows[i].isTitle();
    const std::string before = "   " + lanes(i, block.lane, isTitle ? "┣" : "┃"),
                      words = "only in this run: " + block.lines;
    const bool fits = columns(before) + columns(words) <= width_ - marginWidth_;
    return {before + (!isTitle ? picture_.rows[i].note
                      : fits   ? words
                               : "only here: " + block.lines),
            side_ == kFailing ? Style::fail : Style::pass};
  }
  std::pair<std::string, Style> absentLine(size_t i, const Block& block) const {
    const bool fails = i == picture_.failureRow;
    const bool isSecond = i > block.firstRow && i == firstShownBehind(block.firstRow);
    return {"   " + lanes(i, block.lane, fails ? "✓" : "░") +
                (i == block.firstRow ? "does not happen here:"
                 : isSecond          ? block.lines
                                     : ""),
            Style::faint};
  }
  size_t firstShownBehind(size_t row) const {
    do ++row;
    while (isLeftOut(picture_.rows[row]));
    return row;
  }

  std::string fold(const Row& row) const {
    const std::string words = fmt::format("⋯ {}", foldWords(row));
    const size_t room = width_ - 3 - marginWidth_ - 1;
    std::string text = "   ┄┄┄┄ " + words + " ";
    while (columns(text) < room + 3) text += "┄";
    return text;
  }

  std::string ghost(size_t row) const {
    for (const Ghost& ghost : picture_.ghosts[side_]) {
      if (row < ghost.firstRow || ghost.lastRow < row) continue;
      const std::string words =
          row == ghost.firstRow ? fmt::format("{} {}", ghost.runsLater ? "↓" : "↑", ghostWords(ghost)) : "";
      return "   " + lanes(row, ghost.lane, "○") + words;
    }
    return "";
  }

  // One column per thread: the sign in its lane, the atomic region in its own, a dot elsewhere.
  std::string lanes(size_t row, size_t lane, const std::string& sign) const {
    if (byName_)
      return padded(picture_.rows[row].isLine() ? sign : picture_.cardOf(picture_.rows[row]).who, lanes_);
    std::string text;
    for (size_t l = 0; l < picture_.lanes.size(); ++l)
      text += (l == lane ? sign : isInRegion(row, l) ? "┆" : wayAt(row, l)) + std::string(" ");
    return text;
  }
  // From the decision to the first block behind it: the way taken, or not.
  const char* wayAt(size_t row, size_t lane) const {
    for (const Block& block : picture_.blocks) // one that other threads' events interrupt
      if (block.lane == lane && block.firstRow < row && row < block.lastRow)
        return block.side == side_ ? "┃" : "░";
    if (!picture_.decision || row <= picture_.decision->row) return "·";
    if (picture_.cardOf(picture_.rows[picture_.decision->row]).lane != lane) return "·";
    for (size_t i = picture_.decision->row + 1; i < picture_.rows.size(); ++i) {
      const Row& next = picture_.rows[i];
      if (next.isTitle() && picture_.blocks[*next.block].lane == lane)
        return row < i ? (picture_.blocks[*next.block].side == side_ ? "┃" : "╎") : "·";
      if (next.isFold() || (!next.isLine() && picture_.cardOf(next).lane == lane)) return "·";
    }
    return "·";
  }
  bool isInRegion(size_t row, size_t lane) const {
    const auto& region = picture_.region;
    return region && region->lane == lane && region->firstRow[side_] < row && row < region->lastRow[side_];
  }

  std::pair<std::string, Style> verdict() const {
    const Card& card = picture_.cardOf(picture_.rows[picture_.failureRow]);
    std::string words = card.value[side_].empty() ? "" : ": " + card.words(side_);
    if (!card.isIn[side_]) words = fmt::format(": {} {}", card.who, picture_.missedWords());
    if (side_ == kFailing) return {"   ✗ FAILS" + words, Style::fail};
    return {"   ✓ PASSES" + words, Style::pass};
  }

  const Picture& picture_;
  size_t side_, width_;
  std::vector<size_t> lineOf_; // by row
  size_t lines_ = 0, lanes_ = 0, placeWidth_ = 1, valueWidth_ = 1, codeWidth_ = 0, marginWidth_ = 0;
  bool byName_ = false;
  std::optional<Rails> rails_;
};

// What is left out, so that the view fits a screen.
enum class Detail { everything, noOrders, noCause, fewFlows };

class TerminalView {
public:
  TerminalView(const Picture& picture, const TerminalOptions& options, Detail detail)
      : picture_(picture), options_(options), detail_(detail) {}

  std::string render() {
    say("✗ " + picture_.headline, Style::fail);
    if (!picture_.hint.empty() && picture_.hasAlternate) say("  Fix hint: " + picture_.hint, Style::strong);
    line("");
    if (!picture_.rows.empty()) picture_.hasAlternate ? bothPanels() : onePanel();
    if (!picture_.hasAlternate) say(picture_.alternative, Style::strong);
    legend();
    if (detail_ < Detail::noCause)
      say(picture_.hasAlternate ? picture_.cause + " " + picture_.alternative : picture_.cause);
    if (picture_.contrast) say("Contrast: " + contrastWords(*picture_.contrast));
    say("Certificate: " + picture_.certificate);
    if (!options_.report.empty()) say("Report " + options_.report);
    return text_;
  }

private:
  void line(const std::string& text) {
    const size_t end = text.find_last_not_of(' ');
    text_ += (end == std::string::npos ? "" : text.substr(0, end + 1)) + "\n";
  }
  // A sentence, wrapped.
  void say(const std::string& sentence, Style style = Style::plain) {
    const std::string words = options_.utf8 ? sentence : asciiText(sentence);
    for (const std::string& each : wrapped(words, kColumns, "  ")) line(paint(options_, style, each));
  }
  std::string sign(std::string_view text) const { return options_.utf8 ? std::string(text) : asciiColumns(text); }

  void rule(const char* crossing) {
    std::string text;
    for (size_t i = 0; i < kColumns; ++i) text += picture_.hasAlternate && i == kPanel + 1 ? crossing : "─";
    line(sign(text));
  }

  void bothPanels() {
    const Panel failing(picture_, kFailing, kPanel), alternate(picture_, kAlternate, kPanel);
    const std::string bar = sign(" │ ");
    line(paint(options_, Style::fail, padded("✗ " + picture_.title(kFailing), kPanel)) + bar +
         paint(options_, Style::pass,
               "✓ " + picture_.title(kAlternate) + (picture_.areRuns ? " (another path)" : "")));
    line(sign(failing.laneHeader()) + bar + sign(alternate.laneHeader()));
    rule("┼");
    for (size_t i = 0; i < failing.lines(); ++i) {
      const auto [left, leftStyle] = failing.line(i);
      const auto [right, rightStyle] = alternate.line(i);
      line(paint(options_, leftStyle, left) + bar + paint(options_, rightStyle, right));
    }
    rule("┴");
  }
  void onePanel() {
    const Panel failing(picture_, kFailing, kColumns);
    line(paint(options_, Style::fail, "✗ " + picture_.title(kFailing)));
    line(sign(failing.laneHeader()));
    rule("─");
    for (size_t i = 0; i < failing.lines(); ++i) {
      const auto [text, style] = failing.line(i);
      line(paint(options_, style, text));
    }
    rule("─");
  }

  std::string who(size_t card) const {
    const Card& c = picture_.cards[card];
    const char* line = c.place.empty() || c.place.find(':') != std::string::npos ? "" : "line ";
    return fmt::format("{} {}{}", c.who, line, c.place);
  }
  std::string source(const Arrow& arrow) const {
    return arrow.fromRow ? " from " + who(arrow.fromCard) : ", the initial value";
  }

  void decisionLegend() {
    if (!picture_.decision) return;
    const PictureDecision& d = *picture_.decision;
    say(fmt::format("{}  {}, {}{}: ✗ {}   ✓ {}", d.isDecisive ? "◆" : "◇",
                    d.isDecisive ? "decision" : "the runs part", who(picture_.rows[d.row].card),
                    d.condition.empty() ? "" : ", " + shortenMiddle(d.condition, 24), d.outcome[kFailing],
                    d.outcome[kAlternate]));
  }

  void legend() {
    decisionLegend();
    const bool withOrders = detail_ < Detail::noOrders;
    size_t flows = 0;
    for (const Arrow& failing : picture_.arrows[kFailing]) {
      if (failing.kind != ArrowKind::dataflow) continue;
      if (detail_ == Detail::fewFlows && flows == kFewFlows) break;
      ++flows;
      const std::string subject =
          failing.toRow ? fmt::format("{} read by {}", shortenMiddle(failing.variable, 30), who(failing.toCard))
                        : fmt::format("{} in the end", shortenMiddle(failing.variable, 30));
      std::string sentence = fmt::format("━▶ {}: ✗ {}{}", subject, failing.value, source(failing));
      for (const Arrow& alternate : picture_.arrows[kAlternate])
        if (picture_.hasAlternate && alternate.kind == ArrowKind::dataflow &&
            alternate.toRow.has_value() == failing.toRow.has_value() &&
            (failing.toRow ? alternate.toCard == failing.toCard : alternate.variable == failing.variable)) {
          sentence += fmt::format(" → ✓ {}{}", alternate.value, source(alternate));
          break;
        }
      say(sentence);
    }
    for (size_t side : {kFailing, kAlternate})
      for (const Arrow& arrow : picture_.arrows[side])
        if (withOrders && arrow.kind == ArrowKind::order)
          say(fmt::format("─▷ order only, {}: {} before {}", side == kFailing ? "failing" : "alternate",
                          who(arrow.fromCard), who(arrow.toCard)));
    if (const auto& region = picture_.region) {
      const Card &first = picture_.cardOf(picture_.rows[region->firstRow[kFailing]]),
                 &last = picture_.cardOf(picture_.rows[region->lastRow[kFailing]]);
      say(fmt::format("┆  atomic region: {} lines {}–{}, split by {} in the failing run{}", first.who, first.place,
                      last.place, region->by, region->isSplit[kAlternate] ? " and in the alternate" : ""));
    }
  }

  const Picture& picture_;
  const TerminalOptions& options_;
  const Detail detail_;
  std::string text_;
};

bool fitsScreen(const std::string& text) { return size_t(std::count(text.begin(), text.end(), '\n')) <= kLines; }

} // namespace

std::string renderTerminal(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                           const TerminalOptions& options) {
  const Picture picture = makePicture(diagnosis, trace, sources);
  std::string text;
  for (Detail detail : {Detail::everything, Detail::noOrders, Detail::noCause}) {
    text = TerminalView(picture, options, detail).render();
    if (fitsScreen(text)) return text;
  }
  for (size_t rows = std::min(picture.rows.size(), kLines); rows >= kFewestRows; --rows) {
    const Picture smaller = folded(picture, rows);
    text = TerminalView(smaller, options, Detail::fewFlows).render();
    if (fitsScreen(text)) break;
  }
  return text;
}

} // namespace symbiosis
