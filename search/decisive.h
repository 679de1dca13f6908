#pragma once
// The decision at which a failing run went wrong (DESIGN §12): turned, the program passes; as recorded, it fails
// whatever follows. Every turn is executed on the real program, and so is a control with the decision as it was.
#include "search/contrast.h"
#include "search/lost_updates.h"
#include "search/turn.h"
#include "search/turned_runs.h"
#include <functional>

namespace symbiosis {

struct DecisiveOptions {
  size_t mostRuns = 400;         // of the program
  double seconds = 30;           // for all of it
  size_t exploredRuns = 20;      // with strategies that differ, before any decision is turned
  SolverLimits question{0.5, 4}; // for one question to the solver
  double solverSeconds = 6;      // for all of these
};

struct TurnedDecision {
  // Of a delayed one: perhaps the failing check itself, as its last read and no condition.
  Decision decision;
  EventOrder prefix; // the schedule that turns it, up to and with the decision; empty: it was delayed
  // Not turned by a schedule of the trace: its thread was held back before this event until nobody else could go
  // on. kNoEvent: it was not.
  EventRef delayedBefore = kNoEvent;
  // Not a decision, but an update that another thread's write was lost to: it reads what it overwrites
  // (`decision.event`) before that write. Kept, the program passes.
  std::optional<LostUpdate> update;
  Contrast contrast;
  bool alone = true; // no other thread takes back a decision that it had made before
  LoggedRun passing; // a whole run behind the prefix
  // Its recorded way fails whatever follows: the run is lost from here on.
  bool isPointOfNoReturn() const { return contrast.controlPass == 0; }
};

struct DecisiveCounts {
  size_t decisions = 0, asked = 0;   // in the failing run; of these, asked about
  size_t turned = 0, impossible = 0; // of the decisions asked about; the rest is not known
  size_t runs = 0;
};

struct DecisiveSearch {
  // Schedules of the program with the same input, no matter which path.
  size_t explored = 0, exploredPassed = 0, exploredUndecided = 0;
  std::optional<LoggedRun> anyPassing; // the first of those that passed
  std::vector<LoggedRun>
      furtherFailing; // turned, and failed all the same, on another path; the latest decision first
  std::optional<TurnedDecision> found;
  bool isSignificant = false; // turned runs pass significantly more often than the control
  DecisiveCounts counts;
  bool complete = true;              // no budget ran out
  std::vector<std::string> problems; // turns that the program did not take: bugs of ours
};

Result<DecisiveSearch> findDecisive(const Recording& recording, const SymbolicTrace& trace,
                                    const EventOrder& failing, const DecisiveOptions& options,
                                    const std::function<void(const DecisiveCounts&)>& progress);

} // namespace symbiosis
