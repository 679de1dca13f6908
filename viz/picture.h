#pragma once
// What the picture shows, before any geometry: two panels of rows, aligned by event and anchored on the
// failure. The terminal and the SVG draw the same Picture.
#include "dsp/critical_sections.h"
#include "dsp/diagnosis.h"
#include "trace/source_files.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace symbiosis {

// Both panels are arrays with these indices.
inline constexpr size_t kFailing = 0, kAlternate = 1;

// One event as a card. All text is printable.
struct Card {
  EventRef event = kNoEvent;
  size_t lane = 0;
  std::string who;                  // "T1"
  bool isOther = false;             // its lane is that of the others, so that the card must say who
  std::string id;                   // "0.2:14", stable between runs
  std::string place;                // "10", or "sb.cpp:10" outside the failing check's file; empty if unknown
  std::string code;                 // the source line, or what the event does if there is none
  std::string variable;             // whole name
  std::string lock;                 // "m 9–11": held here; empty: none
  bool isKey = false;               // ends a changed dataflow, was turned round, ends the atomic region, or fails
  std::array<std::string, 2> value; // in each run; empty: the event has none
  bool isWait = false;              // a pending event
  bool hasWords = false;            // its values are words: "takes a", "waits for b for ever"
  std::string verb() const;         // "reads", "writes"; empty: no access
  std::string words(size_t side) const;      // "reads 0"; empty: no value
  std::string shortWords(size_t side) const; // "R 0"
  EventKind kind = EventKind::read;
  std::array<bool, 2> isIn{true, true}; // whether each run has the event
  bool isOneSided() const { return !isIn[0] || !isIn[1]; }
  bool isAfterEnd = false; // in the failing run: stands after the failure and may not have happened
};

// A row is an event (in one panel or, at the same height, in both), a fold, or a line of a block.
struct Row {
  size_t card = 0;              // in Picture::cards
  std::array<size_t, 2> step{}; // of each panel, from 1; 0: the event is not here in this panel
  size_t folded = 0;            // > 0: a fold of so many events
  bool isIdentical = true;      // fold: its events are the same in both
  std::optional<size_t> block;  // a line of this block: its title, or a fold inside of it
  std::string note;             // the line; empty: the title
  size_t events = 0;            // of the fold inside of a block
  bool isLine() const { return block.has_value(); }
  bool isTitle() const { return isLine() && events == 0; }
  bool isFold() const { return folded > 0; }
  bool isShared() const { return isFold() || (step[kFailing] && step[kAlternate]); }
};

// Where an event of the other panel is missing in this one.
struct Ghost {
  size_t lane = 0, firstRow = 0, lastRow = 0;
  bool runsLater = false;             // in this panel; else it ran earlier
  size_t firstStep = 0, lastStep = 0; // of this panel
};

// A run of rows that changes its place as a whole.
struct Move {
  std::array<size_t, 2> firstRow{}, lastRow{}; // in each panel
  std::optional<size_t> lane;                  // if all of it is one thread's
  size_t events = 0;
  bool later = false; // seen from the failing panel
};

// What only one run does, event after event of one thread. The other panel shows that it lacks them.
struct Block {
  size_t side = 0, lane = 0, firstRow = 0, lastRow = 0;
  size_t cards = 0;
  std::string lines;          // "lines 15–18", or "40 events"
  std::string title() const;  // "only in the failing run: 15–18"
  std::string absent() const; // "lines 15–18 of the failing run"
};

// Where the runs part, one row in both panels.
struct PictureDecision {
  size_t row = 0;
  bool isDecisive = true;             // else it is only where they part
  std::string condition;              // "left > 0"
  std::array<std::string, 2> outcome; // "1 → yes"
  std::array<std::string, 2> way;     // "yes"
  std::array<std::string, 2> seen;    // "T2 sees left = 1"
  std::array<std::string, 2> next;    // "and goes on at line 15"; empty: it does not
  // By the exit at the bottom, or by the one at the side, which passes what does not happen.
  std::array<bool, 2> goesDown{true, false};
  std::string caption() const { return isDecisive ? "◆ DECISION" : "◇ THE RUNS PART HERE"; }
};

enum class ArrowKind { dataflow, order };

struct Arrow {
  ArrowKind kind = ArrowKind::dataflow;
  std::optional<size_t> fromRow; // nothing: the initial value
  std::optional<size_t> toRow;   // nothing: the final value
  size_t fromCard = 0, toCard = 0;
  std::string variable, value;
};

struct PictureRegion {
  size_t lane = 0;
  std::array<size_t, 2> firstRow{}, lastRow{};
  std::array<bool, 2> isSplit{};
  std::string by; // "T1"
};

struct Picture {
  bool hasAlternate = false;
  bool areRuns = false;                 // two runs that do not share a path; else schedules of one path
  bool isWaiting = false;               // the failure is a deadlock or hang
  std::vector<ThreadIndex> lanes;       // kNone: the others, if there are more threads than lanes
  std::vector<std::string> laneNames;   // "T1 consumer"
  std::vector<std::string> threadNames; // "T1", or "others", by lane
  std::vector<Card> cards;
  std::vector<Row> rows;
  size_t failureRow = 0;
  std::array<std::vector<Ghost>, 2> ghosts;
  std::array<std::vector<Arrow>, 2> arrows; // dataflows first
  std::vector<Move> moves;
  std::optional<PictureRegion> region;
  std::optional<PictureDecision> decision;
  std::optional<Contrast> contrast; // of runs with the decision turned, and as it was
  std::vector<Block> blocks;
  std::vector<std::string> onlyHere; // "T2 lines 15–18 do not happen in the passing run", a sentence each

  std::string failure; // its kind, message, place and thread
  std::string headline, hint;
  std::string file;                   // of the failing check, without its folder
  std::array<std::string, 2> verdict; // "line 19: T2 reads filled = 0"
  std::string cause;       // "1 ordering forces the failure (minimal: proved): T1 line 20 before T2 line 19"
  std::string alternative; // how the alternate was found, or that there is none
  std::string certificate;

  const Card& cardOf(const Row& row) const { return cards[row.card]; }
  std::string title(size_t side) const; // "FAILING RUN", "ALTERNATE SCHEDULE"
  std::string missedWords() const;      // of a failing event that the alternate lacks: "does not wait"
  // The two values of the failing row, if it has any and they differ; or that one run does not get there.
  std::optional<std::array<std::string, 2>> difference() const;
};

Picture makePicture(const Diagnosis& diagnosis, const SymbolicTrace& trace, const SourceFiles& sources);

// "37 identical events", or "12 more events"
std::string foldWords(const Row& row);
// "runs later (steps 4–5)".
std::string ghostWords(const Ghost& ghost);
std::string stepWords(const Ghost& ghost);

} // namespace symbiosis
