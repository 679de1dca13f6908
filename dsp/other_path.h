#pragma once
// Where every schedule of the failing path fails: the decision at which the run went wrong, what forced it, and a
// run that passes on another path (DESIGN §12). The answer is executed, not only computed.
#include "dsp/diagnosis.h"
#include "dsp/observer.h"
#include "search/decisive.h"

namespace symbiosis {

struct OtherPathOptions {
  DecisiveOptions decisive;
  SolverLimits cause{10, 4}; // for what forces the decision
  bool isFull = true;        // the trace has been made of all that the recording holds
};

// What was looked for, and, if anything passes, the runs to show.
struct OtherPathAnswer {
  std::shared_ptr<OtherPath> path; // null: nothing that passes was found
  RootCause cause;                 // in events of the joined trace
  DecisiveSearch search;           // what was run
  std::string note;                // why there is no path to show, if a run passed all the same
};

// The run that passes is kept beside the recording, in report/alternate; where the failing one had to be recorded
// again, that is in report/failing.
Result<OtherPathAnswer> findOtherPath(const Recording& recording, const SymbolicTrace& trace,
                                      const EventOrder& failing, const OtherPathOptions& options,
                                      Observer& observer);

// The differential schedule projection of two runs, and what to call it. Events are those of `path.joined`.
Dsp projectRuns(const OtherPath& path, const RootCause& cause);
Classification classifyRuns(const OtherPath& path, const Dsp& dsp);

} // namespace symbiosis
