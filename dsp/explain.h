#pragma once
// Why a failing schedule fails and what would have passed: root cause (§3.4) and alternate (§3.5), for whoever has
// a failing schedule, wherever it comes from.
#include "dsp/diagnosis.h"
#include "dsp/observer.h"

namespace symbiosis {

struct ExplainOptions {
  size_t mostCauses = 1, mostAlternates = 1;
};

struct Explanation {
  EventOrder failing;                // that is explained: the one that was asked about, or a simpler one
  std::vector<RootCause> causes;     // at least one
  bool hasAllCauses = true;          // there are no others
  std::vector<Alternate> alternates; // at least one, which may say that there is none
  StageSeconds seconds;              // rootCause, alternate

  // Whether cause and alternate are answers; what gave up may be tried again.
  bool isAnswered() const;
  bool isProved() const; // they are, and the cause is proved to be one
};

// `solver` is that of the trace.
Explanation explain(const SymbolicTrace& trace, ScheduleSolver& solver, const EventOrder& failing,
                    const ExplainOptions& options, Observer& observer);

// What the views need of an explanation: the projection (§3.6), and what to call it.
Diagnosis describe(const SymbolicTrace& trace, const Explanation& explanation);

} // namespace symbiosis
