// How the two schedules are laid side by side.
//
// The events shown are aligned (alignment.h) with the failing row as their anchor; an event that changed its place
// has a row of its own in each panel and leaves a ghost in the other.
// Stretches of at least three hidden events that are the same in both runs become folds.
#include "dsp/shown_run.h"
#include "viz/picture.h"
#include "dsp/wording.h"
#include "trace/evaluated_schedule.h"
#include "viz/alignment.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace symbiosis {

std::string Card::verb() const {
  return kind == EventKind::read ? "reads" : kind == EventKind::write || kind == EventKind::rmw ? "writes" : "";
}

std::string Card::words(size_t side) const {
  return value[side].empty() || hasWords ? value[side] : verb() + " " + value[side];
}
std::string Card::shortWords(size_t side) const {
  return value[side].empty() || hasWords ? value[side] : (kind == EventKind::read ? "R " : "W ") + value[side];
}

std::optional<std::array<std::string, 2>> Picture::difference() const {
  if (!hasAlternate || rows.empty()) return {};
  const Card& card = cardOf(rows[failureRow]);
  if (card.value[0].empty() || card.value[0] == card.value[1]) return {};
  return card.value;
}

std::string foldWords(const Row& row) {
  return fmt::format("{} {} event{}", row.folded, row.isIdentical ? "identical" : "more",
                     row.folded == 1 ? "" : "s");
}

std::string stepWords(const Ghost& ghost) {
  return ghost.firstStep == ghost.lastStep ? fmt::format("step {}", ghost.firstStep)
                                           : fmt::format("steps {}–{}", ghost.firstStep, ghost.lastStep);
}

std::string ghostWords(const Ghost& ghost) {
  return fmt::format("{} ({})", ghost.runsLater ? "runs later" : "ran earlier", stepWords(ghost));
}

namespace {

constexpr size_t kSmallestFold = 3;
constexpr size_t kMostIntruders = 4;
constexpr size_t kMostLanes = 8;
constexpr size_t kMostForOrders =
    120; // events among which order-only arrows are looked for; more are folded anyway
constexpr size_t kManyOrders = 16, kFewOrders = 4; // order-only arrows of a panel

class PictureMaker {
public:
  PictureMaker(const Diagnosis& d, const SymbolicTrace& t, const SourceFiles& s)
      : d_(d), trace_(t), sources_(s), sections_(t), failure_(shownFailure(t, d.dsp)),
        file_(mainFile(t, failure_)), runs_{ShownRun(d, t, Side::failing),
                                                ShownRun(d, t, Side::alternate)} {
    picture_.isWaiting = !TraceEnd(t).isDecidedByValues();
    picture_.hasAlternate = hasAlternate(d);
  }

  Picture make() {
    chooseEvents();
    if (!shown_.empty()) {
      makeLanes();
      makeCards();
      makeRows();
      addFolds();
      addMoves();
      addGhosts();
      addArrows();
      addRegion();
    }
    addWords();
    return std::move(picture_);
  }

private:
  static bool hasAlternate(const Diagnosis& d) {
    return d.alternate.status == AlternateStatus::found && !d.alternate.order.empty();
  }

  // --- which events ---

  void chooseEvents() {
    shown_.insert(d_.dsp.failingEvents.begin(), d_.dsp.failingEvents.end());
    shown_.insert(d_.dsp.alternateEvents.begin(), d_.dsp.alternateEvents.end());
    if (shown_.empty()) return;
    if (const auto& region = d_.classification.region) {
      shown_.insert({region->first, region->last});
      for (size_t i = 0; i < region->intruders.size() && i < kMostIntruders; ++i)
        shown_.insert(region->intruders[i]);
    }
    anchor_ = failure_.event;
    if (anchor_ == kNoEvent) {
      anchor_ = d_.dsp.failingEvents.back();
      return;
    }
    shown_.insert(anchor_);
    // The check's own read stands for it.
    const ThreadIndex thread = trace_.threadOf(anchor_);
    for (EventRef ref = anchor_; ref-- > trace_.threads[thread].firstEvent;)
      if (shown_.count(ref)) {
        if (trace_.event(ref).kind == EventKind::read && sameLine(ref, anchor_)) {
          shown_.erase(anchor_);
          anchor_ = ref;
        }
        break;
      }
  }
  bool sameLine(EventRef a, EventRef b) const {
    const uint32_t x = trace_.event(a).location, y = trace_.event(b).location;
    if (x == kNone || y == kNone) return false;
    return trace_.locations[x].file == trace_.locations[y].file &&
           trace_.locations[x].line == trace_.locations[y].line;
  }

  void makeLanes() {
    std::set<ThreadIndex> threads;
    for (EventRef ref : shown_) threads.insert(trace_.threadOf(ref));
    const std::set<ThreadIndex> others = threadsWithoutLane(threads);
    for (ThreadIndex t : threads) {
      if (others.count(t)) continue;
      laneOf_[t] = picture_.lanes.size();
      picture_.lanes.push_back(t);
      const TraceThread& thread = trace_.threads[t];
      picture_.threadNames.push_back(printable(thread.displayName));
      picture_.laneNames.push_back(tidied(printable(
          fmt::format("{} {}", thread.displayName, shortenMiddle(printable(thread.startFunction), 24)))));
    }
    if (others.empty()) return;
    for (ThreadIndex t : others) laneOf_[t] = picture_.lanes.size();
    picture_.lanes.push_back(kNone);
    picture_.threadNames.push_back("others");
    picture_.laneNames.push_back(fmt::format("{} other threads", others.size()));
  }
  // The picture has only so many lanes. Those who matter keep theirs: who fails, who must be atomic, who intrudes,
  // who was turned round, then who has most of the changed dataflow.
  std::set<ThreadIndex> threadsWithoutLane(const std::set<ThreadIndex>& threads) const {
    if (threads.size() <= kMostLanes) return {};
    std::map<ThreadIndex, size_t> weight;
    auto add = [&](EventRef event, size_t by) {
      if (event != kNoEvent) weight[trace_.threadOf(event)] += by;
    };
    add(anchor_, 1u << 30);
    if (const auto& region = d_.classification.region) {
      add(region->first, 1u << 29);
      for (EventRef intruder : region->intruders) add(intruder, 1u << 20);
    }
    if (const auto& pair = d_.alternate.inverted) add(pair->before, 1u << 28), add(pair->after, 1u << 28);
    for (const auto* flows : {&d_.dsp.failingDataflows, &d_.dsp.alternateDataflows})
      for (const Dataflow& flow : *flows) add(flow.from, 1), add(flow.to, 1);
    std::vector<ThreadIndex> order(threads.begin(), threads.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](ThreadIndex a, ThreadIndex b) { return weight[a] > weight[b]; });
    return {order.begin() + kMostLanes - 1, order.end()};
  }

  // --- cards ---

  void makeCards() {
    const std::set<EventRef> keys = keyEvents();
    for (EventRef ref : shown_) {
      const Event& event = trace_.event(ref);
      Card card;
      card.event = ref;
      card.kind = event.kind;
      card.lane = laneOf_.at(event.id.thread);
      card.who = printable(trace_.threads[event.id.thread].displayName);
      card.isOther = picture_.lanes[card.lane] == kNone;
      card.id = printable(fmt::format("{}:{}", trace_.threads[event.id.thread].id, event.id.index));
      card.variable = printable(event.variable);
      card.isKey = keys.count(ref) != 0;
      card.isAfterEnd = event.tail && failure_.event != kNoEvent && runs_[kFailing].isBefore(failure_.event, ref);
      for (size_t side : {kFailing, kAlternate})
        if (isAccess(event.kind) && runs_[side].happened(ref)) {
          card.value[side] = formatValue(runs_[side].accessValue(ref));
        }
      card.isWait = event.pending;
      card.hasWords = picture_.isWaiting && !isAccess(event.kind);
      for (size_t side : {kFailing, kAlternate})
        if (card.hasWords) card.value[side] = syncWords(trace_, ref, runs_[side].proceeded());
      addSource(card, event);
      card.lock = lockAround(ref);
      cardOf_[ref] = picture_.cards.size();
      picture_.cards.push_back(std::move(card));
    }
  }
  std::set<EventRef> keyEvents() const {
    std::set<EventRef> keys{anchor_};
    if (picture_.isWaiting) return shown_;
    for (const auto& flows : {d_.dsp.failingDataflows, d_.dsp.alternateDataflows})
      for (const Dataflow& flow : flows) keys.insert({flow.from, flow.to});
    if (d_.alternate.inverted) keys.insert({d_.alternate.inverted->before, d_.alternate.inverted->after});
    if (const auto& region = d_.classification.region) keys.insert({region->first, region->last});
    return keys;
  }

  void addSource(Card& card, const Event& event) const {
    if (event.location != kNone) {
      const SourceLocation& at = trace_.locations[event.location];
      const std::string_view name = fileName(at.file);
      if (at.line > 0)
        card.place = at.file.empty() || at.file == file_ ? fmt::format("{}", at.line)
                                                         : printable(fmt::format("{}:{}", name, at.line));
      if (auto line = sources_.line(at.file, at.line)) card.code = tidied(printable(*line));
    }
    if (!card.code.empty()) return;
    std::string what = toText(event.kind);
    if (event.id.thread == trace_.threadOf(anchor_) && event.kind == EventKind::failure)
      what = trace_.failure.message.empty() ? "failure" : printable(trace_.failure.message);
    if (event.peer != kNone) what += " " + printable(trace_.threads[event.peer].displayName);
    card.code = card.variable.empty() ? what : fmt::format("{} {}", what, card.variable);
  }

  std::string lockAround(EventRef ref) const {
    const std::vector<LockedRegion> around = sections_.around(ref);
    if (around.empty() || !isAccess(trace_.event(ref).kind)) return "";
    const LockedRegion& section = around.back();
    const bool open = !section.released || trace_.event(section.last).synthetic;
    const std::string name = shortenMiddle(printable(trace_.event(section.first).variable), 12);
    const std::string from = lineOf(section.first), to = open ? "…" : lineOf(section.last);
    if (from.empty()) return name;
    return from == to ? fmt::format("{} {}", name, from) : fmt::format("{} {}–{}", name, from, to);
  }
  std::string lineOf(EventRef ref) const {
    const uint32_t location = trace_.event(ref).location;
    if (location == kNone || trace_.locations[location].line == 0) return "";
    return fmt::format("{}", trace_.locations[location].line);
  }

  // --- rows ---

  EventOrder shownIn(size_t side) const {
    EventOrder order;
    for (EventRef ref : runs_[side].order())
      if (shown_.count(ref)) order.push_back(ref);
    return order;
  }

  void makeRows() {
    for (const AlignedRow& row : align(trace_, shownIn(kFailing), shownIn(kAlternate), anchor_)) {
      if (row.event == anchor_) picture_.failureRow = picture_.rows.size();
      addRow(row.event, row.inFailing, row.inAlternate);
    }
  }
  void addRow(EventRef event, bool inFailing, bool inAlternate) {
    Row row;
    row.card = cardOf_.at(event);
    if (inFailing) row.step[kFailing] = ++steps_[kFailing];
    if (inAlternate) row.step[kAlternate] = ++steps_[kAlternate];
    picture_.rows.push_back(row);
  }

  // --- folds ---

  void addFolds() {
    std::vector<Row> rows;
    size_t failureRow = 0;
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      const size_t folded = i == 0 ? commonPrefix() : identicalBetween(picture_.rows[i - 1], picture_.rows[i]);
      if (folded >= kSmallestFold) {
        Row fold;
        fold.folded = folded;
        rows.push_back(fold);
      }
      if (i == picture_.failureRow) failureRow = rows.size();
      rows.push_back(picture_.rows[i]);
    }
    picture_.rows = std::move(rows);
    picture_.failureRow = failureRow;
  }
  // Hidden events before the first one shown that both runs begin with.
  size_t commonPrefix() const {
    size_t n = 0;
    const EventOrder &f = runs_[kFailing].order(), &a = runs_[kAlternate].order();
    while (n < f.size() && n < a.size() && f[n] == a[n] && !shown_.count(f[n])) ++n;
    return n;
  }
  size_t identicalBetween(const Row& above, const Row& below) {
    if (!above.isShared() || !below.isShared()) return 0;
    std::array<std::vector<EventRef>, 2> between;
    for (size_t side : {kFailing, kAlternate}) {
      const uint32_t from = runs_[side].position(picture_.cardOf(above).event),
                     to = runs_[side].position(picture_.cardOf(below).event);
      if (from == kNone || to == kNone || from >= to) return 0;
      between[side].assign(runs_[side].order().begin() + from + 1, runs_[side].order().begin() + to);
    }
    if (between[0] != between[1]) return 0;
    for (EventRef ref : between[0])
      if (changes(ref)) return 0;
    return between[0].size();
  }
  // Whether the event has another value or another source in the other run.
  bool changes(EventRef ref) {
    const Event& event = trace_.event(ref);
    for (uint32_t i = event.firstPart; i < event.firstPart + event.partCount; ++i)
      if (runs_[0].source(i) != runs_[1].source(i)) return true;
    if (!runs_[0].happened(ref) || !runs_[1].happened(ref)) return runs_[0].happened(ref) != runs_[1].happened(ref);
    return isAccess(event.kind) && runs_[0].accessValue(ref).bits != runs_[1].accessValue(ref).bits;
  }

  // --- what moved ---

  void addMoves() {
    std::map<size_t, size_t> otherRow; // by card: its row in the alternate panel only
    for (size_t i = 0; i < picture_.rows.size(); ++i)
      if (!picture_.rows[i].isShared() && picture_.rows[i].step[kAlternate]) otherRow[picture_.rows[i].card] = i;
    for (size_t i = 0; i < picture_.rows.size(); ++i) {
      const Row& row = picture_.rows[i];
      if (row.isShared() || !row.step[kFailing]) continue;
      const auto elsewhere = otherRow.find(row.card);
      if (elsewhere == otherRow.end()) continue; // only in the failing run
      const size_t other = elsewhere->second, lane = picture_.cardOf(row).lane;
      const bool later = other > i;
      if (!picture_.moves.empty()) {
        Move& last = picture_.moves.back();
        if (last.lastRow[kFailing] + 1 == i && last.lastRow[kAlternate] + 1 == other && last.later == later) {
          last.lastRow = {i, other};
          if (last.lane != lane) last.lane.reset();
          ++last.events;
          continue;
        }
      }
      picture_.moves.push_back({{i, other}, {i, other}, lane, 1, later});
    }
  }

  void addGhosts() {
    for (const Move& move : picture_.moves)
      for (size_t side : {kFailing, kAlternate}) {
        const size_t there = 1 - side; // the panel whose rows this panel lacks
        for (size_t i = 0; i < move.events; ++i) {
          const size_t row = move.firstRow[there] + i,
                       hereStep = picture_.rows[move.firstRow[side] + i].step[side];
          const size_t lane = picture_.cardOf(picture_.rows[row]).lane;
          auto& ghosts = picture_.ghosts[side];
          if (i > 0 && ghosts.back().lane == lane) {
            ghosts.back().lastRow = row;
            ghosts.back().lastStep = hereStep;
          } else {
            ghosts.push_back({lane, row, row, move.firstRow[side] > move.firstRow[there], hereStep, hereStep});
          }
        }
      }
  }

  // --- arrows ---

  std::optional<size_t> rowOf(EventRef event, size_t side) const {
    for (size_t i = 0; i < picture_.rows.size(); ++i)
      if (picture_.rows[i].step[side] && picture_.cardOf(picture_.rows[i]).event == event) return i;
    return {};
  }

  void addArrows() {
    for (size_t side : {kFailing, kAlternate}) {
      std::set<std::pair<EventRef, EventRef>> drawn;
      for (const Dataflow& flow : side == kFailing ? d_.dsp.failingDataflows : d_.dsp.alternateDataflows)
        if (drawn.insert({flow.from, flow.to}).second) addArrow(side, flow);
      if (picture_.hasAlternate || (picture_.isWaiting && side == kFailing)) addOrderArrows(side);
    }
  }
  void addArrow(size_t side, const Dataflow& flow) {
    Arrow arrow;
    if (flow.from != kNoEvent) arrow.fromRow = rowOf(flow.from, side), arrow.fromCard = cardOf_.at(flow.from);
    if (flow.to != kNoEvent) arrow.toRow = rowOf(flow.to, side), arrow.toCard = cardOf_.at(flow.to);
    const EventRef named = flow.to != kNoEvent ? flow.to : flow.from;
    if (named == kNoEvent) return; // the initial value is the final one: nothing to point at
    arrow.variable = picture_.cards[cardOf_.at(named)].variable;
    arrow.value = picture_.cards[cardOf_.at(named)].value[side];
    if (trace_.event(named).kind == EventKind::rmw) arrow.value = formatValue(valueOf(trace_, flow));
    picture_.arrows[side].push_back(std::move(arrow));
  }

  // Pairs that changed places and conflict, nearest first, unless what is drawn already implies them.
  void addOrderArrows(size_t side) {
    const EventOrder order = shownIn(side);
    if (order.size() > kMostForOrders) return;
    std::vector<std::pair<size_t, size_t>> pairs; // positions in `order`
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t k = i + 1; k < order.size(); ++k)
        if (changedPlaces(order[i], order[k], side)) pairs.push_back({i, k});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](auto x, auto y) { return x.second - x.first < y.second - y.first; });
    const auto first = ptrdiff_t(picture_.arrows[side].size());
    for (auto [i, k] : pairs) {
      if (isImplied(order, side, i, k)) continue;
      Arrow arrow;
      arrow.kind = ArrowKind::order;
      arrow.fromRow = rowOf(order[i], side), arrow.toRow = rowOf(order[k], side);
      arrow.fromCard = cardOf_.at(order[i]), arrow.toCard = cardOf_.at(order[k]);
      picture_.arrows[side].push_back(std::move(arrow));
    }
    keepTelling(picture_.arrows[side], first);
  }
  // Where everything changed places, only the arrows that tell most are drawn: those of the solver's pairs, then
  // those at the failing check and the atomic region, then the nearest.
  void keepTelling(std::vector<Arrow>& arrows, ptrdiff_t first) const {
    if (arrows.size() - size_t(first) <= kManyOrders) return;
    auto rank = [&](const Arrow& arrow) {
      const auto pair = std::minmax(picture_.cards[arrow.fromCard].event, picture_.cards[arrow.toCard].event);
      auto isPair = [&](const OrderEdge& edge) { return pair == std::minmax(edge.before, edge.after); };
      auto touches = [&](EventRef event) { return pair.first == event || pair.second == event; };
      if (d_.alternate.inverted && isPair(*d_.alternate.inverted)) return 0;
      if (std::any_of(d_.rootCause.orders.begin(), d_.rootCause.orders.end(), isPair)) return 0;
      const auto& region = d_.classification.region;
      return touches(anchor_) || (region && (touches(region->first) || touches(region->last))) ? 1 : 2;
    };
    std::stable_sort(arrows.begin() + first, arrows.end(),
                     [&](const Arrow& a, const Arrow& b) { return rank(a) < rank(b); });
    arrows.resize(size_t(first) + kFewOrders);
  }
  bool isCause(const OrderEdge& edge) const {
    return picture_.isWaiting &&
           std::find(d_.rootCause.orders.begin(), d_.rootCause.orders.end(), edge) != d_.rootCause.orders.end();
  }
  bool changedPlaces(EventRef a, EventRef b, size_t side) const {
    // What those who wait found taken, though they may not have changed places.
    if (side == kFailing && isCause({a, b})) return true;
    if (trace_.threadOf(a) == trace_.threadOf(b) || runs_[1 - side].isBefore(a, b)) return false;
    const auto& pair = d_.alternate.inverted;
    if (pair && std::minmax(a, b) == std::minmax(pair->before, pair->after)) return true;
    if (picture_.isWaiting && trace_.event(a).object != kNone && trace_.event(a).object == trace_.event(b).object)
      return true;
    for (const Part& x : trace_.partsOf(a))
      for (const Part& y : trace_.partsOf(b))
        if (x.cell == y.cell && (x.written != kNoExpr || y.written != kNoExpr)) return true;
    return false;
  }
  // Whether program order and the arrows drawn lead from one event to the other.
  bool isImplied(const EventOrder& order, size_t side, size_t from, size_t to) const {
    std::vector<bool> reached(order.size());
    reached[from] = true;
    for (size_t i = from + 1; i <= to; ++i)
      for (size_t j = from; j < i && !reached[i]; ++j)
        reached[i] = reached[j] && (trace_.threadOf(order[j]) == trace_.threadOf(order[i]) ||
                                    hasArrow(side, cardOf_.at(order[j]), cardOf_.at(order[i])));
    return reached[to];
  }
  bool hasArrow(size_t side, size_t fromCard, size_t toCard) const {
    return std::any_of(picture_.arrows[side].begin(), picture_.arrows[side].end(), [&](const Arrow& arrow) {
      return arrow.fromRow && arrow.toRow && arrow.fromCard == fromCard && arrow.toCard == toCard;
    });
  }

  // --- the atomic region ---

  void addRegion() {
    const auto& region = d_.classification.region;
    if (!region) return;
    PictureRegion result;
    result.lane = laneOf_.at(trace_.threadOf(region->first));
    std::vector<std::string> names;
    for (EventRef intruder : region->intruders) {
      const std::string name = printable(trace_.threads[trace_.threadOf(intruder)].displayName);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    result.by =
        names.size() <= 2 ? fmt::format("{}", fmt::join(names, " and ")) : fmt::format("{} threads", names.size());
    for (size_t side : {kFailing, kAlternate}) {
      const auto first = rowOf(region->first, side), last = rowOf(region->last, side);
      if (!first || !last || *first > *last) return;
      result.firstRow[side] = *first, result.lastRow[side] = *last;
      const std::vector<uint32_t>& at = runs_[side].positions();
      result.isSplit[side] =
          std::any_of(region->intruders.begin(), region->intruders.end(), [&](EventRef intruder) {
            return at[region->first] < at[intruder] && at[intruder] < at[region->last];
          });
    }
    picture_.region = result;
  }

  // --- words ---

  void addWords() {
    picture_.headline = tidied(printable(d_.classification.headline));
    picture_.hint = tidied(printable(d_.classification.hint));
    picture_.file = printable(fileName(file_));
    for (size_t side : {kFailing, kAlternate}) picture_.verdict[side] = verdict(side);
    picture_.failure = failureWords(trace_);
    picture_.cause = causeWords(d_, trace_);
    picture_.alternative = alternativeWords(d_, trace_);
    picture_.certificate = certificateWords(d_);
  }
  std::string verdict(size_t side) const {
    if (picture_.rows.empty()) return "";
    const Card& card = picture_.cardOf(picture_.rows[picture_.failureRow]);
    const std::string where =
        card.place.empty() ? "" : (card.place.find(':') == std::string::npos ? "line " : "") + card.place + ": ";
    const std::string& who = card.who;
    if (card.isWait && !card.value[side].empty()) return fmt::format("{}{} {}", where, who, card.value[side]);
    if (card.value[side].empty()) return fmt::format("{}{} {}", where, who, side == kFailing ? "fails" : "passes");
    return fmt::format("{}{} {} {} = {}", where, who, card.verb(), shortenMiddle(card.variable, 24),
                       card.value[side]);
  }
  const Diagnosis& d_;
  const SymbolicTrace& trace_;
  const SourceFiles& sources_;
  CriticalSections sections_;
  const ShownFailure failure_;
  std::string_view file_;
  std::array<ShownRun, 2> runs_;
  std::set<EventRef> shown_;
  EventRef anchor_ = kNoEvent;
  std::map<ThreadIndex, size_t> laneOf_;
  std::map<EventRef, size_t> cardOf_;
  std::array<size_t, 2> steps_{};
  Picture picture_;
};

} // namespace

Picture makePicture(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources) {
  return PictureMaker(diagnosis, trace, sources).make();
}

} // namespace symbiosis
