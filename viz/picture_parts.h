#pragma once
// What the makers of a picture's parts share while it is made.
#include "dsp/shown_run.h"
#include "viz/picture.h"
#include <map>
#include <set>

namespace symbiosis {

struct PictureParts {
  PictureParts(const Diagnosis& d, const SymbolicTrace& t)
      : diagnosis(d), trace(t), runs{ShownRun(d, t, Side::failing), ShownRun(d, t, Side::alternate)} {}

  const Diagnosis& diagnosis;
  const SymbolicTrace& trace;
  std::array<ShownRun, 2> runs;
  std::string_view file; // of the failing check
  std::set<EventRef> shown;
  EventRef anchor = kNoEvent; // stands for the failure
  std::map<EventRef, size_t> cardOf;
  Picture picture;

  // Whether the run has the event.
  bool isIn(size_t side, EventRef event) const {
    return !diagnosis.otherPath || diagnosis.otherPath->joined.isIn(side, event);
  }
  bool isMissing(size_t side, EventRef event) const {
    return diagnosis.otherPath && diagnosis.otherPath->joined.isMissing(side, event);
  }
  bool isOneSided(EventRef event) const { return isMissing(kFailing, event) || isMissing(kAlternate, event); }
  // The decision at which the runs part, if it is one event of both; else kNoEvent.
  EventRef decision() const;
  // Rows of both panels: the decision and the failure.
  std::vector<EventRef> anchors() const { return {decision(), anchor}; }
  EventOrder shownIn(size_t side) const;
  std::optional<size_t> rowOf(EventRef event, size_t side) const;
};

void addRows(PictureParts& parts);     // with folds, moves and ghosts; needs cards
void addOneSided(PictureParts& parts); // blocks of what only one run does; needs rows
void addDecision(PictureParts& parts); // needs rows
void addArrows(PictureParts& parts);   // and the atomic region; needs rows

} // namespace symbiosis
