#pragma once
// A whole Diagnosis of an example.
#include "dsp/explain.h"
#include "tests/dsp/example_traces.h"

namespace symbiosis::testing {

inline Diagnosis diagnose(const Example& example) {
  ScheduleSolver solver(example.trace);
  Observer unobserved;
  Diagnosis d = describe(example.trace, explain(example.trace, solver, example.failing, {}, unobserved));
  d.program = {"./queue", {"input.txt"}};
  d.recording = ".symbiosis/queue-1";
  d.certificate.note = "replay is not part of this version";
  d.stats.events = example.trace.events.size();
  return d;
}

} // namespace symbiosis::testing
