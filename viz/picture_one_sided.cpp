// What only one run does. In its panel such events stand in a block of their thread's lane, with a title and with
// lines for those that are not shown; the other panel says, at the same height, that they do not happen there.
//
// A block is a maximal run of such cards in one lane: another card of the lane, a fold or the decision ends it, so
// that nothing else ever lies in its rectangle. Behind the decision there is a block even if none of its events is
// shown. Once the failing run has ended, what the alternate goes on to do is no difference between them.
#include "dsp/wording.h"
#include "viz/picture_parts.h"
#include "viz/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

std::string Block::title() const {
  const std::string_view prefix = "lines ";
  return fmt::format("only in the {}: {}", side == kFailing ? "failing run" : "alternate",
                     lines.starts_with(prefix) ? lines.substr(prefix.size()) : lines);
}
std::string Block::absent() const {
  return fmt::format("{} of the {}", lines, side == kFailing ? "failing run" : "alternate");
}

namespace {

constexpr size_t kMostSentences = 2;
constexpr size_t kLongestFunction = 24;

using Events = std::vector<EventRef>;

class OneSidedMaker {
public:
  explicit OneSidedMaker(PictureParts& parts) : parts_(parts), trace_(parts.trace), picture_(parts.picture) {
    for (size_t side : {kFailing, kAlternate}) {
      byThread_[side].resize(trace_.threads.size());
      for (EventRef ref : parts.runs[side].order()) byThread_[side][trace_.threadOf(ref)].push_back(ref);
    }
  }

  void make() {
    findTelling();
    planBlocks();
    planBlocksWithoutCards();
    insertLines();
    addSentences();
  }

private:
  // --- which events ---

  void findTelling() {
    isTelling_.assign(trace_.events.size(), false);
    for (ThreadIndex thread = 0; thread < trace_.threads.size(); ++thread) {
      for (EventRef ref : byThread_[kFailing][thread])
        isTelling_[ref] = parts_.isMissing(kAlternate, ref) && !isAfter(ref, kFailing);
      bool meetsAgain = false; // the failing run gets further than this
      const Events& events = byThread_[kAlternate][thread];
      for (size_t i = events.size(); i-- > 0;) {
        meetsAgain |= parts_.isIn(kFailing, events[i]) && !isAfter(events[i], kFailing);
        if (parts_.isMissing(kFailing, events[i]))
          isTelling_[events[i]] = meetsAgain && !isAfter(events[i], kAlternate);
      }
    }
    for (EventRef ref = 0; ref < trace_.events.size(); ++ref)
      if (trace_.event(ref).synthetic || (trace_.event(ref).kind == EventKind::failure && !isShown(ref)))
        isTelling_[ref] = false; // the check's read stands for it
  }
  // Behind the failing check, which stands in one row of both panels.
  bool isAfter(EventRef ref, size_t side) const {
    return parts_.isIn(side, parts_.anchor) && parts_.runs[side].isBefore(parts_.anchor, ref) &&
           !picture_.isWaiting && trace_.event(ref).kind != EventKind::failure;
  }
  bool isShown(EventRef ref) const { return parts_.shown.count(ref) != 0; }
  bool isTelling(EventRef ref, size_t side) const { return isTelling_[ref] && parts_.isIn(side, ref); }

  // Hidden events of one side alone, from behind one event of a thread to the next that is shown.
  Events hiddenAfter(EventRef from, size_t side) const {
    const Events& events = byThread_[side][trace_.threadOf(from)];
    Events hidden;
    for (auto at = std::find(events.begin(), events.end(), from) + 1; at < events.end() && !isShown(*at); ++at)
      if (isTelling(*at, side)) hidden.push_back(*at);
    return hidden;
  }
  Events hiddenBefore(EventRef to, size_t side) const {
    const Events& events = byThread_[side][trace_.threadOf(to)];
    Events hidden;
    for (auto at = std::find(events.begin(), events.end(), to); at != events.begin() && !isShown(*(at - 1)); --at)
      if (isTelling(*(at - 1), side)) hidden.insert(hidden.begin(), *(at - 1));
    return hidden;
  }

  // --- blocks, in terms of the rows as they are ---

  void planBlocks() {
    std::vector<std::optional<size_t>> open(picture_.lanes.size()); // by lane
    auto closeAll = [&] {
      for (auto& lane : open) close(lane);
    };
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      const Row& row = picture_.rows[i];
      if (row.isFold() || picture_.cardOf(row).event == parts_.decision()) {
        closeAll();
        continue;
      }
      const Card& card = picture_.cardOf(row);
      auto& lane = open[card.lane];
      const size_t side = card.isIn[kFailing] ? kFailing : kAlternate;
      if (!isTelling_[card.event] || picture_.lanes[card.lane] == kNone) {
        close(lane);
        continue;
      }
      if (lane && picture_.blocks[*lane].side != side) close(lane);
      if (!lane) lane = openBlock(side, card.lane, i, 2);
      addFold(*lane, hiddenBefore(card.event, side), i, 2);
      events_[*lane].push_back(card.event);
      lastCard_[*lane] = card.event;
      picture_.blocks[*lane].lastRow = i;
      ++picture_.blocks[*lane].cards;
    }
    closeAll();
  }
  size_t openBlock(size_t side, size_t lane, size_t row, int priority) {
    Block block;
    block.side = side, block.lane = lane, block.firstRow = block.lastRow = row;
    picture_.blocks.push_back(block);
    events_.emplace_back();
    lastCard_.push_back(kNoEvent);
    Row title;
    title.block = picture_.blocks.size() - 1;
    lines_.push_back({row, priority, title});
    return *title.block;
  }
  void close(std::optional<size_t>& block) {
    if (!block) return;
    const Block& closed = picture_.blocks[*block];
    const Events hidden = hiddenAfter(lastCard_[*block], closed.side);
    // Those before a further card of this kind are told there.
    const EventRef next = nextShown(lastCard_[*block], closed.side);
    if (next == kNoEvent || !isTelling(next, closed.side)) addFold(*block, hidden, closed.lastRow + 1, 0);
    block.reset();
  }
  EventRef nextShown(EventRef from, size_t side) const {
    const Events& events = byThread_[side][trace_.threadOf(from)];
    const auto next = std::find_if(std::find(events.begin(), events.end(), from) + 1, events.end(),
                                   [&](EventRef ref) { return isShown(ref); });
    return next == events.end() ? kNoEvent : *next;
  }
  void addFold(size_t block, const Events& hidden, size_t row, int priority) {
    if (hidden.empty()) return;
    events_[block].insert(events_[block].end(), hidden.begin(), hidden.end());
    Row line;
    line.block = block;
    line.events = hidden.size();
    line.note = foldNote(hidden);
    lines_.push_back({row, priority, line});
  }

  void planBlocksWithoutCards() {
    const EventRef decision = parts_.decision();
    if (decision == kNoEvent) return;
    const size_t lane = picture_.cards[parts_.cardOf.at(decision)].lane, withCards = picture_.blocks.size();
    for (size_t side : {kFailing, kAlternate})
      for (EventRef shown = decision; shown != kNoEvent; shown = nextShown(shown, side)) {
        const EventRef next = nextShown(shown, side);
        const Events hidden = hiddenAfter(shown, side);
        // Beside a card of this kind they are told there.
        if (isTelling(shown, side) || (next != kNoEvent && isTelling(next, side))) break;
        if (hidden.empty()) continue;
        size_t row = firstRowBehind(hidden.front(), side);
        for (size_t i = 0; i < withCards; ++i) {
          const Block& other = picture_.blocks[i];
          if (other.lane == lane && other.firstRow < row && row <= other.lastRow) row = other.firstRow;
        }
        addFold(openBlock(side, lane, row, 1), hidden, row, 1);
        break;
      }
  }
  // The first place that agrees with the order of the run.
  size_t firstRowBehind(EventRef event, size_t side) const {
    size_t row = 0;
    for (size_t i = 0; i < picture_.rows.size(); ++i)
      if (!picture_.rows[i].isFold() && picture_.rows[i].step[side] > 0 &&
          parts_.runs[side].isBefore(picture_.cardOf(picture_.rows[i]).event, event))
        row = i + 1;
    return row;
  }

  // --- lines ---

  struct PlannedLine {
    size_t before = 0; // the row
    int priority = 0;  // of several: the end of a block, one without cards, the beginning of one
    Row row;
  };

  void insertLines() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const PlannedLine& a, const PlannedLine& b) {
      return std::pair(a.before, a.priority) < std::pair(b.before, b.priority);
    });
    std::vector<size_t> newRow;
    std::vector<Row> rows;
    size_t next = 0;
    auto insert = [&](size_t before) {
      for (; next < lines_.size() && lines_[next].before == before; ++next) rows.push_back(lines_[next].row);
    };
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      insert(i);
      newRow.push_back(rows.size());
      rows.push_back(picture_.rows[i]);
    }
    insert(picture_.rows.size());
    picture_.rows = std::move(rows);
    picture_.failureRow = newRow[picture_.failureRow];
    for (size_t i = 0; i < picture_.blocks.size(); ++i) {
      Block& block = picture_.blocks[i];
      if (block.cards > 0) block.lastRow = newRow[block.lastRow];
      block.lines = lineWords(events_[i]);
    }
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      if (!picture_.rows[i].isLine()) continue;
      Block& block = picture_.blocks[*picture_.rows[i].block];
      if (picture_.rows[i].isTitle()) {
        block.firstRow = i;
        if (block.cards == 0) block.lastRow = i;
      }
      block.lastRow = std::max(block.lastRow, i);
    }
  }

  // --- words ---

  const SourceLocation* locationOf(EventRef ref) const {
    const uint32_t at = trace_.event(ref).location;
    return at == kNone || trace_.locations[at].line == 0 ? nullptr : &trace_.locations[at];
  }
  // The functions in which they stand; those outside the failing check's file only if there are no others.
  std::vector<std::string> functionsOf(const Events& events, bool everywhere) const {
    std::vector<std::string> names;
    for (EventRef ref : events)
      if (const SourceLocation* at = locationOf(ref); at && (everywhere || at->file == parts_.file))
        if (std::find(names.begin(), names.end(), at->function) == names.end()) names.push_back(at->function);
    return names.empty() && !everywhere ? functionsOf(events, true) : names;
  }
  // "lines 15–18" if they are one range, else "40 events".
  std::string lineWords(const Events& events) const {
    uint32_t first = UINT32_MAX, last = 0;
    for (EventRef ref : events)
      if (const SourceLocation* at = locationOf(ref); at && at->file == parts_.file)
        first = std::min(first, at->line), last = std::max(last, at->line);
    if (last == 0 || functionsOf(events, false).size() > 1)
      return fmt::format("{} event{}", events.size(), events.size() == 1 ? "" : "s");
    return first == last ? fmt::format("line {}", first) : fmt::format("lines {}–{}", first, last);
  }
  std::string foldNote(const Events& events) const {
    const std::string count = fmt::format("{} event{}", events.size(), events.size() == 1 ? "" : "s");
    const std::vector<std::string> functions = functionsOf(events, false);
    if (functions.size() > 1) return fmt::format("⋯ {} functions, {}", functions.size(), count);
    const std::string lines = lineWords(events);
    if (lines != count) return fmt::format("⋯ {}, {}", lines, count);
    if (functions.empty() || functions[0].empty()) return "⋯ " + count;
    return fmt::format("⋯ {}, {}", shortenMiddle(printable(functions[0]), kLongestFunction), count);
  }

  // Who decides, and who fails; what others do differently because of it is in the picture. All, if nobody
  // decides.
  std::vector<ThreadIndex> tellingThreads() const {
    const EventRef decision = parts_.decision();
    const EventRef failure = shownFailure(trace_, parts_.diagnosis.dsp).event;
    std::vector<ThreadIndex> threads;
    if (decision != kNoEvent) threads.push_back(trace_.threadOf(decision));
    for (ThreadIndex t = 0; t < trace_.threads.size(); ++t) {
      const bool isTold = decision == kNoEvent || failure == kNoEvent || t == trace_.threadOf(failure);
      if (isTold && (threads.empty() || t != threads[0])) threads.push_back(t);
    }
    return threads;
  }

  void addSentences() {
    const std::vector<ThreadIndex> threads = tellingThreads();
    for (size_t side : {kFailing, kAlternate})
      for (ThreadIndex thread : threads) {
        Events events;
        for (EventRef ref : byThread_[side][thread])
          if (isTelling(ref, side)) events.push_back(ref);
        if (events.empty() || picture_.onlyHere.size() == kMostSentences) continue;
        const std::string lines = lineWords(events);
        const bool isOne = lines.starts_with("line ") || lines.starts_with("1 ");
        const std::string& who = trace_.threads[thread].displayName;
        picture_.onlyHere.push_back(printable(fmt::format(
            "{} {}",
            lines.ends_with('s') || lines == "1 event" ? fmt::format("{} of {}", lines, who)
                                                       : fmt::format("{} {}", who, lines),
            side == kAlternate ? (isOne ? "happens only in the passing run" : "happen only in the passing run")
            : isOne            ? "does not happen in the passing run"
                               : "do not happen in the passing run")));
      }
  }

  PictureParts& parts_;
  const SymbolicTrace& trace_;
  Picture& picture_;
  std::array<std::vector<Events>, 2> byThread_; // in the order of each run
  std::vector<bool> isTelling_;                 // by event: only one run has it, though both got that far
  std::vector<Events> events_;                  // by block
  std::vector<EventRef> lastCard_;              // by block
  std::vector<PlannedLine> lines_;
};

} // namespace

void addOneSided(PictureParts& parts) {
  if (parts.diagnosis.otherPath && parts.picture.hasAlternate) OneSidedMaker(parts).make();
}

} // namespace symbiosis
