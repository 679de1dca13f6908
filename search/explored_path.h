#pragma once
// A *path* is what all threads of a run did, each in its order: which way every branch went, which objects were
// meant, how tries and waits ended. Many schedules have the same path, and one run of it is enough to know them
// all (trace/symbolic_trace.h). Two paths *part* in a thread where it first does something else.
//
// Threads are told apart by their ids, and how far a thread has come by its *marks* (TraceThread::marks): these
// come from the path log, the outcomes of operations and the values that had to be fixed. Which memory is shared
// may differ from run to run, and with it which conditions a trace has; the marks of a thread are the same for the
// same path.
#include "replay/replay.h"
#include "search/recorded_runs.h"
#include "trace/decision.h"
#include <map>

namespace symbiosis {

struct ExploredPath {
  WalkedRun run;        // its recording without what was walked
  ControlReport report; // how it ended
  RunOutcome outcome = RunOutcome::passed;
  size_t number = 0; // of the path, from 0, as they were found
  // By thread, in its order: all its decisions, and the events at which they are made, each once.
  std::vector<std::vector<Decision>> decisions;
  std::vector<std::vector<EventRef>> deciding;
};

ExploredPath makePath(WalkedRun run, ControlReport report, RunOutcome outcome, size_t number);

// The mark that the decision has made.
uint32_t markOf(const SymbolicTrace& trace, const Decision& decision);

inline constexpr uint32_t kNeverParts = kNone;
// The first mark of this thread of `path` at which the other path differs; kNeverParts: none. 0, too, if the other
// one has no such thread.
uint32_t partingOf(const ExploredPath& path, const ExploredPath& other, ThreadIndex thread);

// How many of the thread's deciding events the two have in common, each with all that is decided at it.
size_t commonDecidingEvents(const ExploredPath& path, const ExploredPath& other, ThreadIndex thread);

// Of two paths, by thread of the first: both of the above. Each pair is compared once.
struct Parting {
  std::vector<uint32_t> marks;
  std::vector<size_t> common;
};
class Partings {
public:
  const Parting& of(const ExploredPath& path, const ExploredPath& other);

private:
  std::map<std::pair<size_t, size_t>, Parting> known_; // by the numbers of the paths
};

// "tickets.c:14"; empty: unknown.
std::string placeText(const SymbolicTrace& trace, uint32_t location);

// The thread with this id; kNone: there is none.
ThreadIndex threadNamed(const SymbolicTrace& trace, const std::string& id);

// The same expression over what the same reads of the same thread read in another path's trace, whose expressions
// it joins; kNoExpr: something in it has no counterpart there.
ExprId translated(const SymbolicTrace& from, ExprId expr, SymbolicTrace& to);

} // namespace symbiosis
