#pragma once
// Two runs of one program that do not share a path, in one numbering of events, so that they can be shown side by
// side: what both do is one event, what only one of them does is marked.
//
// Threads are matched by their ids. Up to where a thread's paths part, the same point is the same event; behind it
// events are matched by place, call stack and object, as many as keep their order.
#include "trace/schedule.h"

namespace symbiosis {

struct JoinedRuns {
  // Describes the events (kind, place, variable, thread, object) and the failure. Its expressions are those of the
  // failing run; values are asked of the run itself.
  SymbolicTrace trace;
  // For each run (0 failing, 1 alternate): its event by event of `trace`, kNoEvent where it has none; and back.
  std::vector<EventRef> own[2];
  std::vector<EventRef> joined[2];
  std::vector<uint32_t> joinedCell[2]; // by cell of the run
  std::vector<bool> isUnseen;          // by event of `trace`: both do it, and only one of them has it as an event

  // An order of one of the runs in events of `trace`.
  EventOrder join(size_t side, const EventOrder& order) const;
  bool isIn(size_t side, EventRef ref) const { return own[side][ref] != kNoEvent; }
  // The run does not do it. A run may do what it has no event for: memory that nobody else touched there.
  bool isMissing(size_t side, EventRef ref) const { return !isIn(side, ref) && !isUnseen[ref]; }
};

JoinedRuns joinRuns(const SymbolicTrace& failing, const SymbolicTrace& alternate);

} // namespace symbiosis
