// Which events the picture shows, in which lanes, and what their cards say. Rows (picture_rows.cpp), what only one
// run does (picture_one_sided.cpp), the decision (picture_decision.cpp) and arrows (picture_arrows.cpp) have files
// of their own.
#include "dsp/wording.h"
#include "trace/life.h"
#include "viz/picture_parts.h"
#include "viz/text.h"
#include "viz/words.h"
#include <algorithm>
#include <fmt/format.h>
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
  if (!card.isIn[kAlternate]) return std::array<std::string, 2>{isWaiting ? "waits" : "fails", "goes on"};
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

std::string Picture::title(size_t side) const {
  return fmt::format("{} {}", side == kFailing ? "FAILING" : "ALTERNATE", areRuns ? "RUN" : "SCHEDULE");
}

std::string Picture::missedWords() const { return isWaiting ? "does not wait" : "does not get there"; }

EventRef PictureParts::decision() const {
  const OtherPath* path = diagnosis.otherPath.get();
  return path && path->decision.event != kNoEvent && !isOneSided(path->decision.event) ? path->decision.event
                                                                                       : kNoEvent;
}

EventOrder PictureParts::shownIn(size_t side) const {
  EventOrder order;
  for (EventRef ref : runs[side].order())
    if (shown.count(ref)) order.push_back(ref);
  return order;
}

std::optional<size_t> PictureParts::rowOf(EventRef event, size_t side) const {
  for (size_t i = 0; i < picture.rows.size(); ++i)
    if (picture.rows[i].step[side] && picture.cardOf(picture.rows[i]).event == event) return i;
  return {};
}

std::string ghostWords(const Ghost& ghost) {
  return fmt::format("{} ({})", ghost.runsLater ? "runs later" : "ran earlier", stepWords(ghost));
}

namespace {

constexpr size_t kMostIntruders = 4;
constexpr size_t kMostLanes = 8;

class PictureMaker {
public:
  PictureMaker(const Diagnosis& d, const SymbolicTrace& t, const SourceFiles& s)
      : d_(d), trace_(t), sources_(s), sections_(t), failure_(shownFailure(t, d.dsp)), parts_(d, t) {
    parts_.file = file_ = mainFile(t, failure_);
    picture_.isWaiting = !TraceEnd(t).isDecidedByValues();
    picture_.hasAlternate = hasAlternate(d);
    picture_.areRuns = d.otherPath != nullptr;
  }

  Picture make() {
    chooseEvents();
    if (!shown_.empty()) {
      makeLanes();
      makeCards();
      addRows(parts_);
      addDecision(parts_);
      addArrows(parts_);
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
        if ((trace_.event(ref).kind == EventKind::read || ref == useOfGone(trace_)) && sameLine(ref, anchor_)) {
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
      card.id = printable(eventId(d_, trace_, ref));
      card.variable = printable(event.variable);
      card.isKey = keys.count(ref) != 0;
      card.isAfterEnd = event.tail && failure_.event != kNoEvent && runs_[kFailing].isBefore(failure_.event, ref);
      for (size_t side : {kFailing, kAlternate})
        if (isAccess(event.kind) && runs_[side].happened(ref)) {
          const AccessValue value = runs_[side].accessValue(ref);
          const std::string life = lifeWords(trace_, ref, value.bits != 0);
          card.hasWords |= !life.empty();
          card.value[side] = life.empty() ? formatValue(value) : life;
        }
      card.isWait = event.pending;
      for (size_t side : {kFailing, kAlternate}) card.isIn[side] = parts_.isIn(side, ref);
      if (picture_.isWaiting && !isAccess(event.kind)) {
        card.hasWords = true;
        for (size_t side : {kFailing, kAlternate})
          if (card.isIn[side]) card.value[side] = syncWords(trace_, ref, runs_[side].proceededAt(ref));
      }
      if (picture_.areRuns && ref == anchor_ && event.kind == EventKind::exit) {
        card.hasWords = true;
        card.value = {"fails", "passes"};
      }
      addSource(card, event);
      card.lock = lockAround(ref);
      cardOf_[ref] = picture_.cards.size();
      picture_.cards.push_back(std::move(card));
    }
  }
  std::set<EventRef> keyEvents() const {
    std::set<EventRef> keys{anchor_};
    if (parts_.decision() != kNoEvent) keys.insert(parts_.decision());
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
    if (!card.isIn[side]) {
      const bool decides = picture_.decision && picture_.cardOf(picture_.rows[picture_.decision->row]).who == who;
      return decides ? fmt::format("{}, {}", picture_.decision->seen[side], picture_.missedWords())
                     : fmt::format("{}{} {}", where, who, picture_.missedWords());
    }
    if (card.hasWords && !card.value[side].empty()) return fmt::format("{}{} {}", where, who, card.value[side]);
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
  PictureParts parts_;
  std::array<ShownRun, 2>& runs_ = parts_.runs;
  std::set<EventRef>& shown_ = parts_.shown;
  EventRef& anchor_ = parts_.anchor;
  std::map<EventRef, size_t>& cardOf_ = parts_.cardOf;
  Picture& picture_ = parts_.picture;
  std::map<ThreadIndex, size_t> laneOf_;
};

} // namespace

Picture makePicture(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources) {
  return PictureMaker(diagnosis, trace, sources).make();
}

} // namespace symbiosis
