#include "dsp/two_runs.h"

namespace symbiosis {

DiagnosedRun compareRuns(const Recording& recording, const WalkedRun& failing, const WalkedRun& passing,
                         const Repeats& repeats) {
  auto path = std::make_shared<OtherPath>();
  path->runs[0] = failing.trace;
  path->runs[1] = passing.trace;
  path->orders[0] = failing.order;
  path->orders[1] = passing.order;
  path->joined = joinRuns(path->runs[0], path->runs[1]);
  path->recording = passing.recording.directory;
  DiagnosedRun result{path->joined.trace, {}};
  Diagnosis& diagnosis = result.diagnosis;
  diagnosis.program = {recording.info.program, recording.info.arguments};
  diagnosis.recording = failing.recording.directory.string();
  diagnosis.failing = path->joined.join(0, path->orders[0]);
  diagnosis.alternate.status = AlternateStatus::found;
  diagnosis.alternate.method = AlternateMethod::search;
  diagnosis.alternate.order = path->joined.join(1, path->orders[1]);
  diagnosis.rootCause.status = ProofStatus::tested;
  diagnosis.rootCause.note = "isolated by experiment";
  diagnosis.dsp = projectRuns(*path, diagnosis.rootCause);
  diagnosis.classification = classifyRuns(*path, diagnosis.dsp);
  diagnosis.certificate.failing = {repeats.runs, repeats.failing};
  diagnosis.certificate.alternate.runs = repeats.runs;
  diagnosis.certificate.alternate.passedFailurePoint = diagnosis.certificate.alternate.completedOk =
      repeats.passing;
  diagnosis.certificate.whole = {repeats.runs, repeats.passing};
  diagnosis.limits = limitsOf(path->joined.trace);
  diagnosis.otherPath = std::move(path);
  return result;
}

} // namespace symbiosis
