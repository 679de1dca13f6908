// The compact summary that `symbiosis diagnose` ends with.
#include "dsp/wording.h"
#include "viz/picture.h"
#include "viz/terminal_text.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace {

constexpr size_t kColumns = 79;
constexpr size_t kMostEvents = 12; // more are in the report

class SummaryView {
public:
  SummaryView(const Diagnosis& d, const SymbolicTrace& t, const Picture& picture, const TerminalOptions& options)
      : d_(d), trace_(t), picture_(picture), options_(options) {}

  std::string render() {
    entry("FAIL", failure(), Style::fail);
    entry("Cause", cause(), Style::strong);
    if (!picture_.rows.empty()) table();
    if (!picture_.headline.empty()) entry("Why", picture_.headline);
    if (!picture_.hint.empty() && picture_.hasAlternate) entry("Hint", picture_.hint);
    if (picture_.hasAlternate)
      entry("Passes when", passesWhen(), Style::pass);
    else
      entry("No alternate", picture_.alternative);
    entry("Certified", picture_.certificate);
    if (!options_.report.empty()) entry("Report", options_.report);
    if (!options_.next.empty()) entry("Next", options_.next);
    return text_;
  }

private:
  void entry(const std::string& name, const std::string& words, Style style = Style::plain) {
    const std::string said = options_.utf8 ? words : asciiText(words);
    const std::vector<std::string> lines = wrapped(said, kColumns - kNameWidth, "");
    for (size_t i = 0; i < lines.size(); ++i)
      text_ += paint(options_, i == 0 ? style == Style::plain ? Style::strong : style : Style::plain,
                     padded(i == 0 ? name : "", kNameWidth)) +
               lines[i] + "\n";
  }

  std::string place(uint32_t location) const {
    if (location == kNone || trace_.locations[location].line == 0) return "";
    return printable(
        fmt::format("{}:{}", fileName(trace_.locations[location].file), trace_.locations[location].line));
  }

  std::string failure() const {
    const Failure& f = trace_.failure;
    std::string words = toText(f.kind);
    if (!f.message.empty()) words += fmt::format(" \"{}\"", shortenMiddle(tidied(printable(f.message)), 60));
    if (const std::string at = place(f.location); !at.empty()) words += " at " + at;
    if (f.event != kNoEvent)
      words += fmt::format(" in thread {}", printable(trace_.threads[trace_.threadOf(f.event)].displayName));
    return words;
  }

  std::string cause() const {
    const Classification& c = d_.classification;
    if (d_.rootCause.orders.empty()) return picture_.cause;
    std::string words = c.bugClass == BugClass::other ? "order of events" : toText(c.bugClass);
    if (!c.variable.empty()) words += fmt::format(" on {}", shortenMiddle(printable(c.variable), 40));
    const size_t n = d_.rootCause.orders.size();
    words += fmt::format(" ({} ordering{}, {})", n, n == 1 ? "" : "s",
                         d_.rootCause.status == ProofStatus::unknown
                             ? "not reduced"
                             : fmt::format("minimal: {}", toText(d_.rootCause.status)));
    return words;
  }

  // The failing run's events, one column per thread.
  void table() {
    const size_t lanes = std::min<size_t>(picture_.lanes.size(), 3), width = (kColumns - 3) / lanes;
    std::string header = "   ";
    for (size_t lane = 0; lane < picture_.lanes.size(); ++lane)
      if (lane < lanes) header += padded(picture_.laneNames[lane], width - 2) + "  ";
    line(header, Style::faint);
    size_t shown = 0;
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      const Row& row = picture_.rows[i];
      if (row.isFold() || row.step[kFailing] == 0) continue;
      if (++shown > kMostEvents && i != picture_.failureRow) continue;
      const Card& card = picture_.cardOf(row);
      const size_t lane = std::min(card.lane, lanes - 1);
      std::string words = place(trace_.event(card.event).location) + " ";
      if (lane != card.lane) words = picture_.threadNames[card.lane] + " " + words;
      words += what(card, width - std::min(width, columns(words) + 4));
      const std::string indent(3 + lane * width, ' ');
      if (i == picture_.failureRow)
        words += "  ✗";
      else if (isIntruder(card.event))
        words += columns(indent + words) + columns(kInterleaves) <= kColumns ? kInterleaves : "  <--";
      line(indent + words, i == picture_.failureRow ? Style::fail : Style::plain);
    }
    if (shown > kMostEvents) line(fmt::format("   … {} more in the report", shown - kMostEvents), Style::faint);
  }
  // In about so many columns, but never without a few of the name.
  std::string what(const Card& card, size_t room) const {
    const std::string& value = card.value[kFailing];
    if (card.isAfterEnd) return "(the run had ended)";
    if (value.empty()) return shortenMiddle(card.code, std::max<size_t>(room, 10));
    const size_t rest = columns(value) + 4;
    const std::string name = shortenMiddle(card.variable, std::max<size_t>(room - std::min(room, rest), 8));
    return fmt::format("{} {} {}", name, card.kind == EventKind::read ? "->" : "=", value);
  }
  bool isIntruder(EventRef event) const {
    const auto& region = d_.classification.region;
    return region &&
           std::find(region->intruders.begin(), region->intruders.end(), event) != region->intruders.end();
  }
  void line(const std::string& words, Style style) {
    std::u32string cut = codePoints(words);
    while (columns(toUtf8(cut)) > kColumns) cut.pop_back();
    while (!cut.empty() && cut.back() == U' ') cut.pop_back();
    text_ += paint(options_, style, toUtf8(cut)) + "\n";
  }

  // The pair that was turned round, or the order of the first event that moved.
  std::string passesWhen() const {
    if (const auto& pair = d_.alternate.inverted)
      return fmt::format("{} runs before {}", named(pair->after), named(pair->before));
    for (const Arrow& arrow : picture_.arrows[kAlternate])
      if (arrow.fromRow && arrow.toRow)
        return fmt::format("{} runs before {}", named(picture_.cards[arrow.fromCard].event),
                           named(picture_.cards[arrow.toCard].event));
    return "the events run in the order of the alternate schedule";
  }
  std::string named(EventRef event) const {
    const std::string at = place(trace_.event(event).location);
    return fmt::format("{} ({})", at.empty() ? toText(trace_.event(event).kind) : at,
                       printable(trace_.threads[trace_.threadOf(event)].displayName));
  }

  static constexpr size_t kNameWidth = 13;
  static constexpr const char* kInterleaves = "  <-- interleaves";
  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const Picture& picture_;
  const TerminalOptions& options_;
  std::string text_;
};

} // namespace

std::string renderSummary(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                          const TerminalOptions& options) {
  return SummaryView(diagnosis, trace, makePicture(diagnosis, trace, sources), options).render();
}

} // namespace symbiosis
