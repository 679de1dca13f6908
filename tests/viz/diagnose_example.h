#pragma once
// A whole Diagnosis of an example, as the driver would make it.
#include "dsp/diagnosis.h"
#include "tests/dsp/example_traces.h"

namespace symbiosis::testing {

inline Diagnosis diagnose(const Example& example) {
  ScheduleSolver solver(example.trace);
  Diagnosis d;
  d.program = {"./queue", {"input.txt"}};
  d.recording = ".symbiosis/queue-1";
  d.failing = example.failing;
  d.rootCause = findRootCause(example.trace, solver, example.failing);
  d.alternate = findAlternate(example.trace, solver, example.failing, d.rootCause);
  d.dsp = d.alternate.status == AlternateStatus::found
              ? project(example.trace, example.failing, d.alternate.order, d.alternate.inverted)
              : projectFailing(example.trace, example.failing, d.rootCause);
  d.classification = classify(example.trace, example.failing, d.rootCause, d.alternate, d.dsp);
  d.certificate.note = "replay is not part of this version";
  d.stats.events = example.trace.events.size();
  return d;
}

} // namespace symbiosis::testing
