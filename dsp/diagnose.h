#pragma once
// From a recording to the explanation of its failure: Figure 1 of the paper. Every stage is also a function of its
// own (symexec/symexec.h, failing_schedule.h, explain.h, certify.h).
#include "dsp/explain.h"
#include "dsp/failing_schedule.h"
#include "dsp/other_path.h"

namespace symbiosis {

struct DiagnoseOptions {
  format::Level level = format::Level::full; // the most that is used of the recording
  FailingOptions failing;
  // The schedule to explain instead of one that is found. If it leaves the recorded path, the run along it is
  // recorded (report/failing) and explained.
  std::optional<Schedule> schedule;
  SolverOptions solver;
  ExplainOptions explain;
  double seconds = 120;       // for all of it: at the limit what is left undone is said (Diagnosis::limits)
  size_t replays = 20;        // of each schedule, for the certificate; 0: nothing is run
  OtherPathOptions otherPath; // where every schedule of the recorded path fails
  bool again = false;         // nothing is taken from an earlier diagnosis of the recording
};

// A diagnosis beside the trace that its events are of.
struct DiagnosedRun {
  SymbolicTrace trace;
  Diagnosis diagnosis;
};

// Errors: the recording cannot be followed, or no schedule of it fails as it did.
Result<DiagnosedRun> diagnose(const Recording& recording, const DiagnoseOptions& options, Observer& observer);

} // namespace symbiosis
