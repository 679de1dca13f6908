#include "dsp/certify.h"
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

// The alternate as a schedule of the recording that it is replayed from.
struct ReplayedAlternate {
  Recording recording;
  Schedule schedule;
};
Result<ReplayedAlternate> alternateOf(const Recording& recording, const SymbolicTrace& trace,
                                      const Diagnosis& diagnosis) {
  if (!diagnosis.otherPath)
    return ReplayedAlternate{recording, toSchedule(trace, diagnosis.alternate.order, recording.info.programHash)};
  Result<Recording> own = openRecording(diagnosis.otherPath->recording);
  if (!own) return own.error();
  Schedule schedule =
      toSchedule(diagnosis.otherPath->runs[1], diagnosis.otherPath->orders[1], own->info.programHash);
  return ReplayedAlternate{std::move(*own), std::move(schedule)};
}

// Of a whole run there is no check to get past but its end.
Result<ReplayOutcome> withPassedEnd(Result<ReplayOutcome> outcome) {
  if (outcome) outcome->passedFailurePoint = outcome->result == ReplayResult::finished;
  return outcome;
}

} // namespace

Certificate certify(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing,
                    const Diagnosis& diagnosis, size_t replays, Observer& observer) {
  Certificate certificate;
  if (replays == 0) {
    certificate.note = "not replayed (--replays 0)";
    return certificate;
  }
  const bool both = diagnosis.alternate.status == AlternateStatus::found;
  const size_t schedules = both ? 2 : 1, total = schedules * replays;
  observer.willRun(Stage::certificate, schedules, total);
  const Schedule failingSchedule = toSchedule(trace, failing, recording.info.programHash);
  for (size_t run = 0; run < replays; ++run) {
    observer.runs(Stage::certificate, run + 1, total);
    countFailing(certificate, replaySchedule(recording, failingSchedule, optionsFor(Expectation::fails, run + 1)));
  }
  if (!both) return certificate;
  const Result<ReplayedAlternate> alternate = alternateOf(recording, trace, diagnosis);
  if (!alternate) {
    noteProblem(certificate, alternate.error().message);
    return certificate;
  }
  for (size_t run = 0; run < replays; ++run) {
    observer.runs(Stage::certificate, replays + run + 1, total);
    Result<ReplayOutcome> outcome =
        replaySchedule(alternate->recording, alternate->schedule, optionsFor(Expectation::passes, run + 1));
    countAlternate(certificate, diagnosis.otherPath ? withPassedEnd(std::move(outcome)) : std::move(outcome));
  }
  return certificate;
}

} // namespace symbiosis
