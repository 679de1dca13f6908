#pragma once
// Two schedules of the same events laid side by side, row by row.
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"
#include <vector>

namespace symbiosis {

struct AlignedRow {
  EventRef event = kNoEvent;
  bool inFailing = true, inAlternate = true; // at least one
};

// `failing` and `alternate` hold the same events, `anchor` among them; it is one row. Before it and after it a
// longest common subsequence keeps its place (events of the anchor's thread weigh a little more, so that the
// others appear to move); an event outside of it gets a row of its own for each schedule.
std::vector<AlignedRow> align(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate,
                              EventRef anchor);

} // namespace symbiosis
