// The compact summary that `symbiosis diagnose` ends with.
#include "dsp/wording.h"
#include "viz/folding.h"
#include "viz/terminal_text.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace {

constexpr size_t kColumns = 79;
constexpr size_t kLines = 24, kFewestRows = 3;

class SummaryView {
public:
  // `table` is the picture with as many rows as there is room for.
  SummaryView(const Diagnosis& d, const SymbolicTrace& t, const Picture& picture, const Picture& table,
              const TerminalOptions& options)
      : d_(d), trace_(t), picture_(picture), table_(table), options_(options),
        file_(mainFile(t, shownFailure(t, d.dsp))) {}

  std::string render() {
    entry("FAIL", failureWords(trace_), Style::fail);
    entry("Cause", cause(), Style::strong);
    if (!picture_.rows.empty()) table();
    if (!picture_.headline.empty()) entry("Why", picture_.headline);
    if (d_.otherPath) decision(*d_.otherPath);
    if (!picture_.hint.empty() && picture_.hasAlternate) entry("Hint", picture_.hint);
    if (picture_.hasAlternate && d_.certificate.neverEndsWell())
      entry("No alternate", fmt::format("Where {} this {}, but {}.", passesWhen(),
                                        TraceEnd(trace_).isDecidedByValues() ? "check passes" : "wait ends",
                                        alwaysLaterWords(d_)));
    else if (picture_.hasAlternate)
      entry("Passes when", passesWhen(), Style::pass);
    else
      entry("No alternate", picture_.alternative);
    if (d_.otherPath && d_.otherPath->contrast.turnedRuns > 0)
      entry("Contrast", contrastWords(d_.otherPath->contrast));
    const bool isIncomplete = picture_.hasAlternate && !d_.certificate.complete();
    entry(isIncomplete ? "Uncertified" : "Certified", picture_.certificate);
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

  // Where the runs part, and what only the failing one does.
  void decision(const OtherPath& path) {
    if (path.decision.event != kNoEvent)
      entry(path.isDecisive ? "Decision ◆" : "Runs part ◇", decisionWords(d_, trace_));
    for (size_t i = 0; i < picture_.onlyHere.size(); ++i) entry(i == 0 ? "Only here +" : "", picture_.onlyHere[i]);
  }

  std::string cause() const {
    const Classification& c = d_.classification;
    if (d_.otherPath && !d_.otherPath->isDecisive && d_.otherPath->lostUpdate)
      return fmt::format("{} on {} (tested: the run that passes loses none; no single one decides)",
                         toText(c.bugClass), shortenMiddle(printable(c.variable), 40));
    if (d_.otherPath && !d_.otherPath->isDecisive)
      return "a run that passes, on another path; no decision explains it";
    if (d_.rootCause.orders.empty() && !d_.otherPath) return picture_.cause;
    std::string words = c.bugClass == BugClass::other ? "order of events" : toText(c.bugClass);
    if (!c.variable.empty()) words += fmt::format(" on {}", shortenMiddle(printable(c.variable), 40));
    const size_t n = d_.rootCause.orders.size();
    if (n == 0) return words;
    if (isInEveryRun(d_, trace_)) return fmt::format("{} (every run fails; an order decides who waits)", words);
    words += fmt::format(" ({} ordering{}, {})", n, n == 1 ? "" : "s",
                         d_.rootCause.status == ProofStatus::unknown
                             ? "not reduced"
                             : fmt::format("minimal: {}{}", toText(d_.rootCause.status),
                                           d_.otherPath ? " up to the decision" : ""));
    return words;
  }

  // The failing run's events, one column per thread.
  void table() {
    const size_t lanes = std::min<size_t>(picture_.lanes.size(), 3), width = (kColumns - 3) / lanes;
    std::string header = "   ";
    for (size_t lane = 0; lane < lanes; ++lane) header += padded(picture_.laneNames[lane], width - 2) + "  ";
    line(header, Style::faint);
    std::vector<size_t> rows;
    for (size_t i = 0; i < table_.rows.size(); ++i)
      if (table_.rows[i].isFold() ? !table_.rows[i].isIdentical
                                  : !table_.rows[i].isLine() && table_.rows[i].step[kFailing] > 0)
        rows.push_back(i);
    // Without the name of the failure's file if that makes the difference.
    auto fits = [&](size_t row) { return columns(rowWords(row, lanes, width, true)) <= kColumns; };
    const bool withFile = std::all_of(rows.begin(), rows.end(), fits);
    for (size_t row : rows)
      line(rowWords(row, lanes, width, withFile), row == table_.failureRow ? Style::fail : Style::plain);
  }
  std::string rowWords(size_t row, size_t lanes, size_t width, bool withFile) const {
    if (table_.rows[row].isFold()) return fmt::format("   ⋯ {} in the report", foldWords(table_.rows[row]));
    const Card& card = table_.cardOf(table_.rows[row]);
    const size_t lane = std::min(card.lane, lanes - 1);
    std::string words(3 + lane * width, ' ');
    if (card.isOneSided()) words[words.size() - 2] = '+';
    if (lane != card.lane) words += card.who + " ";
    const std::string at = fileAndLine(trace_, trace_.event(card.event).location);
    words += (withFile ? at : placeOf(trace_, trace_.event(card.event).location, file_)) + " ";
    const size_t end = std::min(kColumns, 3 + (lane + 1) * width), mark = isIntruder(card.event) ? 5 : 3;
    const size_t room = end - std::min(end, columns(words) + mark);
    const bool isWide = columns(words) + columns(what(card, room)) > kColumns;
    words += isWide ? what(card, room, 4) : what(card, room);
    if (row == table_.failureRow) return words + "  ✗";
    if (table_.decision && row == table_.decision->row) return words + (table_.decision->isDecisive ? " ◆" : " ◇");
    if (!isIntruder(card.event)) return words;
    for (const char* suffix : {"  <-- interleaves", "  <--"})
      if (columns(words) + columns(suffix) <= kColumns) return words + suffix;
    return words;
  }
  // In about so many columns, but never without a few of the name: `least`.
  std::string what(const Card& card, size_t room, size_t least = 8) const {
    const std::string& value = card.value[kFailing];
    if (card.isAfterEnd) return "(the run had ended)";
    if (card.hasWords && !card.isWait)
      return shortenMiddle(value.empty() ? card.code : value, std::max<size_t>(room, 10));
    if (card.isWait && !card.variable.empty())
      return fmt::format("waits for {}",
                         shortenMiddle(card.variable, std::max<size_t>(room - std::min<size_t>(room, 10), 8)));
    if (card.isWait) return value;
    if (value.empty()) return shortenMiddle(card.code, std::max<size_t>(room, 10));
    const size_t rest = columns(value) + 4;
    const std::string name = shortenMiddle(card.variable, std::max<size_t>(room - std::min(room, rest), least));
    return fmt::format("{} {} {}", name, card.kind == EventKind::read ? "->" : "=", value);
  }
  bool isIntruder(EventRef event) const {
    const auto& region = d_.classification.region;
    return region &&
           std::find(region->intruders.begin(), region->intruders.end(), event) != region->intruders.end();
  }
  void line(const std::string& words, Style style) {
    std::u32string cut = codePoints(words);
    if (columns(words) > kColumns) {
      while (columns(toUtf8(cut)) >= kColumns) cut.pop_back();
      cut.push_back(options_.utf8 ? U'…' : U'~');
    }
    while (!cut.empty() && cut.back() == U' ') cut.pop_back();
    text_ += paint(options_, style, toUtf8(cut)) + "\n";
  }

  // The pair that was turned round, or the order of the first event that moved.
  std::string passesWhen() const {
    if (d_.otherPath) return passesOnOtherPath(*d_.otherPath);
    // In terms of data, where that is what changed: the read comes before the write that it saw when it failed.
    auto place = [](const EventOrder& order, EventRef event) {
      return std::find(order.begin(), order.end(), event) - order.begin();
    };
    auto isNew = [&](EventRef before, EventRef after) {
      return place(d_.alternate.order, before) < place(d_.alternate.order, after) &&
             place(d_.failing, after) < place(d_.failing, before);
    };
    auto words = [&](EventRef before, EventRef after) {
      return fmt::format("{} runs before {}", named(before), named(after));
    };
    for (const Dataflow& flow : d_.dsp.failingDataflows)
      if (flow.from != kNoEvent && flow.to != kNoEvent && trace_.threadOf(flow.from) != trace_.threadOf(flow.to) &&
          isNew(flow.to, flow.from))
        return words(flow.to, flow.from);
    if (const auto& pair = d_.alternate.inverted) return words(pair->after, pair->before);
    for (const Arrow& arrow : picture_.arrows[kAlternate])
      if (arrow.fromRow && arrow.toRow)
        if (const EventRef from = picture_.cards[arrow.fromCard].event, to = picture_.cards[arrow.toCard].event;
            isNew(from, to))
          return words(from, to);
    // Two writes have changed places, and the read sees the other one.
    for (const Dataflow& flow : d_.dsp.failingDataflows)
      for (const Dataflow& instead : d_.dsp.alternateDataflows)
        if (flow.to == instead.to && flow.cell == instead.cell && flow.from != kNoEvent &&
            instead.from != kNoEvent && isNew(flow.from, instead.from))
          return words(flow.from, instead.from);
    return "the events run in the order of the alternate schedule";
  }
  // The decision after the write that it needs, or before the one that it saw.
  std::string passesOnOtherPath(const OtherPath& path) const {
    auto sourceOf = [&](const std::vector<Dataflow>& flows) {
      for (const Dataflow& flow : flows)
        if (flow.to == path.decision.event && flow.from != kNoEvent &&
            trace_.threadOf(flow.from) != trace_.threadOf(flow.to))
          return flow.from;
      return kNoEvent;
    };
    if (path.decision.event == kNoEvent) return "the threads take the way of the alternate run";
    const EventRef needed = sourceOf(d_.dsp.alternateDataflows), seen = sourceOf(d_.dsp.failingDataflows);
    const auto firstOf = [&](EventRef a, EventRef b) {
      return *std::find_if(d_.failing.begin(), d_.failing.end(), [&](EventRef e) { return e == a || e == b; });
    };
    // In the failing run the write that it needs comes too late, or not at all.
    if (needed != kNoEvent && firstOf(path.decision.event, needed) == path.decision.event)
      return fmt::format("{} runs after {}", named(path.decision.event), named(needed));
    if (seen != kNoEvent) return fmt::format("{} runs before {}", named(path.decision.event), named(seen));
    for (const OrderEdge& edge : d_.rootCause.orders)
      return fmt::format("{} runs before {}", named(edge.after), named(edge.before));
    return "the threads take the way of the alternate run";
  }
  std::string named(EventRef event) const {
    const std::string at = fileAndLine(trace_, trace_.event(event).location);
    return fmt::format("{} ({})", at.empty() ? toText(trace_.event(event).kind) : at,
                       printable(trace_.threads[trace_.threadOf(event)].displayName));
  }

  static constexpr size_t kNameWidth = 13;
  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const Picture &picture_, &table_;
  const TerminalOptions& options_;
  const std::string_view file_;
  std::string text_;
};

} // namespace

std::string renderSummary(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources,
                          const TerminalOptions& options) {
  const Picture picture = makePicture(diagnosis, trace, sources);
  std::string text;
  for (size_t rows = std::max(std::min(picture.rows.size(), kLines), kFewestRows); rows >= kFewestRows; --rows) {
    const Picture table = folded(picture, rows);
    text = SummaryView(diagnosis, trace, picture, table, options).render();
    if (size_t(std::count(text.begin(), text.end(), '\n')) <= kLines) break;
  }
  return text;
}

} // namespace symbiosis
