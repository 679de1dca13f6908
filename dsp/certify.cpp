#include "dsp/certify.h"
#include "replay/explore.h"
#include "replay/replay.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

constexpr size_t kMostContinuations = 50; // of an alternate, in search of one that ends well

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

// How a continuation that does not end well ends.
std::string endOf(const ReplayOutcome& outcome, const ControlReport& report) {
  if (outcome.problem.empty() && report.failure)
    return fmt::format("{}: {}", toText(outcome.result), toText(*report.failure));
  const std::string& why = outcome.problem.empty() ? toText(report.ending) : outcome.problem;
  return fmt::format("{}: {}", toText(outcome.result), why);
}

void countContinuation(Certificate& certificate, const ReplayOutcome& outcome) {
  Certificate::Passing& counts = certificate.alternate;
  ++counts.runs;
  counts.passedFailurePoint += outcome.passedFailurePoint;
  if (outcome.result == ReplayResult::finished)
    ++counts.completedOk;
  else if (outcome.result == ReplayResult::diverged)
    ++counts.diverged;
  else
    ++counts.failedLater;
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

// Replays of the whole run that is on another path.
void certifyOtherPath(const ReplayedAlternate& alternate, size_t replays, const std::function<void()>& runs,
                      Certificate& certificate) {
  for (size_t run = 0; run < replays; ++run) {
    runs();
    ++certificate.whole.runs;
    Result<ReplayOutcome> outcome =
        replaySchedule(alternate.recording, alternate.schedule, optionsFor(Expectation::passes, run + 1));
    if (!outcome) return noteProblem(certificate, outcome.error().message);
    // There is no check to get past but its end.
    outcome->passedFailurePoint = outcome->result == ReplayResult::finished;
    countContinuation(certificate, *outcome);
    certificate.whole.repeated += outcome->passedFailurePoint;
    if (!outcome->passedFailurePoint)
      noteProblem(certificate, fmt::format("a replay of the alternate {}{}{}", toText(outcome->result),
                                           outcome->problem.empty() ? "" : ": ", outcome->problem));
  }
}

// One run behind the alternate's last entry.
struct Continuation {
  FoundFailure run; // which has not failed, where it ends well
  ReplayOutcome outcome;
};
Result<Continuation> continueAlternate(const ReplayedAlternate& alternate, uint64_t seed) {
  Result<ControlledRun> run =
      runAlong(alternate.recording, alternate.schedule, optionsFor(Expectation::passes, seed));
  if (!run) return run.error();
  run->log = format::ControlLog::switches;
  Result<ControlReport> report = runControlled(*run);
  if (!report) return report.error();
  ReplayOutcome outcome = outcomeAlong(alternate.recording, alternate.schedule, *run, *report);
  return Continuation{{seed, std::move(*run), std::move(*report)}, std::move(outcome)};
}

// The first continuation that ends well; as many are made as there are replays, to count how they end, and more
// where none of them does. What is stuck, which takes seconds, is not tried often.
std::optional<FoundFailure> findWholeRun(const ReplayedAlternate& alternate, size_t replays,
                                         const std::function<void()>& runs, Certificate& certificate) {
  constexpr size_t kMostStuck = 2;
  std::optional<FoundFailure> whole;
  std::string end;
  size_t stuck = 0;
  for (size_t run = 0; run < (whole ? replays : std::max(replays, kMostContinuations)) && stuck < kMostStuck;
       ++run) {
    runs();
    Result<Continuation> next = continueAlternate(alternate, run + 1);
    if (!next) {
      noteProblem(certificate, next.error().message);
      return whole;
    }
    countContinuation(certificate, next->outcome);
    stuck += next->outcome.result == ReplayResult::stuck;
    const bool isGood = next->outcome.result == ReplayResult::finished && next->outcome.passedFailurePoint;
    if (isGood && !whole) whole = std::move(next->run);
    if (!isGood && end.empty()) end = endOf(next->outcome, next->run.report);
  }
  if (!whole)
    noteProblem(certificate, fmt::format("none of {} continuations of the alternate ends well; the first {}",
                                         certificate.alternate.runs, end));
  return whole;
}

void certifyWholeRun(const FoundFailure& whole, size_t replays, const std::function<void()>& runs,
                     Certificate& certificate) {
  for (size_t run = 0; run < replays; ++run) {
    runs();
    ++certificate.whole.runs;
    const Result<ControlReport> again = recordAgain(whole, {});
    certificate.whole.repeated += again.ok();
    if (!again) noteProblem(certificate, "a replay of the alternate was another run: " + again.error().message);
  }
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
  const size_t ofAlternate = diagnosis.otherPath ? replays : std::max(replays, kMostContinuations) + replays;
  const size_t total = replays + (both ? ofAlternate : 0);
  observer.willRun(Stage::certificate, both ? 2 : 1, total);
  size_t made = 0;
  const std::function<void()> runs = [&] { observer.runs(Stage::certificate, ++made, total); };
  const Schedule failingSchedule = toSchedule(trace, failing, recording.info.programHash);
  for (size_t run = 0; run < replays; ++run) {
    runs();
    countFailing(certificate, replaySchedule(recording, failingSchedule, optionsFor(Expectation::fails, run + 1)));
  }
  if (!both) return certificate;
  const Result<ReplayedAlternate> alternate = alternateOf(recording, trace, diagnosis);
  if (!alternate)
    noteProblem(certificate, alternate.error().message);
  else if (diagnosis.otherPath)
    certifyOtherPath(*alternate, replays, runs, certificate);
  else if (const auto whole = findWholeRun(*alternate, replays, runs, certificate))
    certifyWholeRun(*whole, replays, runs, certificate);
  return certificate;
}

} // namespace symbiosis
