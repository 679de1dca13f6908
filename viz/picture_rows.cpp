// How the events shown are laid side by side. They are aligned (alignment.h) with the failing row, and with the
// decision where the runs part, as anchors; an event that changed its place has a row of its own in each panel and
// leaves a ghost in the other. Stretches of at least three hidden events that are the same in both runs become
// folds.
#include "viz/alignment.h"
#include "viz/picture_parts.h"
#include <map>

namespace symbiosis {

namespace {

constexpr size_t kSmallestFold = 3;

class RowMaker {
public:
  explicit RowMaker(PictureParts& parts)
      : trace_(parts.trace), runs_(parts.runs), shown_(parts.shown), parts_(parts), picture_(parts.picture) {}

  void make() {
    makeRows();
    addFolds();
    addOneSided(parts_);
    addMoves();
    addGhosts();
  }

private:
  // --- rows ---

  void makeRows() {
    for (const AlignedRow& row :
         align(trace_, parts_.shownIn(kFailing), parts_.shownIn(kAlternate), parts_.anchors())) {
      if (row.event == parts_.anchor) picture_.failureRow = picture_.rows.size();
      addRow(row.event, row.inFailing, row.inAlternate);
    }
  }
  void addRow(EventRef event, bool inFailing, bool inAlternate) {
    Row row;
    row.card = parts_.cardOf.at(event);
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
    if (!runs_[0].happened(ref) || !runs_[1].happened(ref))
      return runs_[0].happened(ref) != runs_[1].happened(ref);
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

  const SymbolicTrace& trace_;
  const std::array<ShownRun, 2>& runs_;
  const std::set<EventRef>& shown_;
  PictureParts& parts_;
  Picture& picture_;
  std::array<size_t, 2> steps_{};
};

} // namespace

void addRows(PictureParts& parts) { RowMaker(parts).make(); }

} // namespace symbiosis
