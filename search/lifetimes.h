#pragma once
// Memory that is freed, and locks and the like that are destroyed, by one thread of a path and used by another:
// can the use come behind that? The end of an object is no event of the trace, but always possible where its
// thread stands before it; so the question is whether that thread can have come there while the other one has not
// made its use.
#include "constraints/schedule_solver.h"
#include "search/explored_path.h"

namespace symbiosis {

struct UseAfterEnd {
  uint32_t object = kNone; // ended by another thread …
  EventRef use = kNoEvent; // … than the one that uses it here
};

// Those that program order and synchronisation do not exclude. `unknown` gets the objects whose end has no place
// of its own, because a library makes it.
std::vector<UseAfterEnd> possibleUsesAfterEnd(const SymbolicTrace& trace, std::vector<uint32_t>& unknown);

struct UseAnswer {
  Answer answer = Answer::unknown;
  std::string reason; // unknown
  Schedule schedule;  // sat: up to the end of the object and the use behind it
};
UseAnswer ask(const ExploredPath& path, const UseAfterEnd& use, const SolverLimits& limits);

} // namespace symbiosis
