#include "dsp/certify.h"
#include "replay/explore.h"
#include "replay/guest_strategies.h"
#include "replay/replay.h"
#include <fmt/format.h>

namespace symbiosis {
namespace {

ReplayOptions optionsFor(Expectation expectation, uint64_t seed) {
  ReplayOptions options;
  options.expectation = expectation;
  options.seed = seed;
  return options;
}

// The first thing that went wrong is worth telling; the rest is counted.
void noteProblem(Certificate& certificate, const std::string& what) {
  if (certificate.note.empty()) certificate.note = what;
}

void countFailing(Certificate& certificate, const Result<ReplayOutcome>& outcome) {
  ++certificate.failing.runs;
  if (!outcome) return noteProblem(certificate, outcome.error().message);
  if (outcome->result == ReplayResult::failedAsRecorded) {
    ++certificate.failing.reproduced;
    return;
  }
  noteProblem(certificate, fmt::format("a replay of the failing schedule {}{}{}", toText(outcome->result),
                                       outcome->problem.empty() ? "" : ": ", outcome->problem));
}

void countAlternate(Certificate& certificate, const Result<ReplayOutcome>& outcome) {
  Certificate::Passing& counts = certificate.alternate;
  ++counts.runs;
  if (!outcome) return noteProblem(certificate, outcome.error().message);
  if (outcome->passedFailurePoint) ++counts.passedFailurePoint;
  if (outcome->result == ReplayResult::finished)
    ++counts.completedOk;
  else if (outcome->result == ReplayResult::diverged)
    ++counts.diverged;
  else
    ++counts.failedLater;
  if (!outcome->passedFailurePoint)
    noteProblem(certificate, fmt::format("a replay of the alternate {}{}{}", toText(outcome->result),
                                         outcome->problem.empty() ? "" : ": ", outcome->problem));
}

} // namespace

Certificate certify(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing,
                    const Alternate& alternate, size_t replays, const CertifyProgress& progress) {
  Certificate certificate;
  if (replays == 0) {
    certificate.note = "not replayed (--replays 0)";
    return certificate;
  }
  const bool both = alternate.status == AlternateStatus::found;
  const size_t total = both ? 2 * replays : replays;
  const Schedule failingSchedule = toSchedule(trace, failing, recording.info.programHash);
  for (size_t run = 0; run < replays; ++run) {
    progress(run + 1, total);
    countFailing(certificate, replaySchedule(recording, failingSchedule, optionsFor(Expectation::fails, run + 1)));
  }
  if (!both) return certificate;
  const Schedule alternateSchedule = toSchedule(trace, alternate.order, recording.info.programHash);
  for (size_t run = 0; run < replays; ++run) {
    progress(replays + run + 1, total);
    countAlternate(certificate,
                   replaySchedule(recording, alternateSchedule, optionsFor(Expectation::passes, run + 1)));
  }
  return certificate;
}

Confirmation exploreOtherSchedules(const Recording& recording, size_t runs, const CertifyProgress& progress) {
  Confirmation confirmation;
  ExploreOptions options;
  options.launch = launchOf(recording);
  options.launch.quiet = true;
  options.runs = runs;
  options.expectedExit = recording.info.expectedExit;
  options.stopAtFirstFailure = false;
  GuestStrategies schedules;
  Result<ExploreResult> explored =
      explore(options, schedules, [&](const ExploreCounts& counts) { progress(counts.runs, runs); });
  if (!explored) {
    confirmation.note = explored.error().message;
    return confirmation;
  }
  confirmation.runs = explored->counts.runs;
  confirmation.failed = explored->counts.failed;
  confirmation.undecided = explored->counts.limited + explored->counts.stuck;
  return confirmation;
}

} // namespace symbiosis
