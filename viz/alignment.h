#pragma once
// Two schedules laid side by side, row by row.
#include "trace/schedule.h"
#include "trace/symbolic_trace.h"
#include <vector>

namespace symbiosis {

struct AlignedRow {
  EventRef event = kNoEvent;
  bool inFailing = true, inAlternate = true; // at least one
};

// `anchors`, the failure last, are one row each if both schedules have them in this order. Before, between and
// after them a longest common subsequence keeps its place (events of the failure's thread weigh a little more, so
// that the others appear to move); an event outside of it gets a row of its own for each schedule that has it.
std::vector<AlignedRow> align(const SymbolicTrace& trace, const EventOrder& failing, const EventOrder& alternate,
                              const std::vector<EventRef>& anchors);

} // namespace symbiosis
