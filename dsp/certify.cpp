#include "dsp/certify.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {
namespace {

constexpr size_t kMostContinuations = 50; // of an alternate, in search of one that ends well
constexpr size_t kMostStuck = 2;          // of these: each takes seconds

// The first problem is the one that the report shows.
void noteProblem(Certificate& certificate, const std::string& problem) {
  if (certificate.note.empty()) certificate.note = problem;
}

std::string wordsOf(const ReplayOutcome& outcome) {
  return fmt::format("{}{}{}", toText(outcome.result), outcome.problem.empty() ? "" : ": ", outcome.problem);
}

// How and where a continuation that does not end well ends.
std::string endOf(const ReplayOutcome& outcome, const ControlReport& report) {
  if (outcome.problem.empty() && report.failure)
    return fmt::format("{}: {}", toText(outcome.result), toText(*report.failure));
  const std::string& why = outcome.problem.empty() ? toText(report.ending) : outcome.problem;
  return fmt::format("{}: {}", toText(outcome.result), why);
}

void countEnd(Certificate::Passing& counts, const ReplayOutcome& outcome) {
  ++counts.runs;
  counts.passedFailurePoint += outcome.passedFailurePoint;
  if (outcome.result == ReplayResult::finished)
    ++counts.completedOk;
  else if (outcome.result == ReplayResult::diverged)
    ++counts.diverged;
  else
    ++counts.failedLater;
}

// How often the same thing came instead of what was expected. What comes twice comes always: the rest of the
// series would only take time.
class Repetition {
public:
  bool isTwice(const std::string& problem) {
    times_ = problem == last_ ? times_ + 1 : 1;
    last_ = problem;
    return times_ >= 2;
  }

private:
  std::string last_;
  size_t times_ = 0;
};

} // namespace

// A run gets no more time than there is left, and a second to come to its end.
ReplayOptions Certifier::optionsFor(Expectation expectation, uint64_t seed) const {
  ReplayOptions options;
  options.expectation = expectation;
  options.seed = seed;
  if (deadline_ == Deadline::max()) return options;
  const double left = std::chrono::duration<double>(deadline_ - std::chrono::steady_clock::now()).count() + 1;
  options.timeoutSeconds = std::min(options.timeoutSeconds, std::max(left, 1.0));
  options.stallSeconds = std::min(options.stallSeconds, options.timeoutSeconds);
  return options;
}

bool Certifier::stops(Certificate& certificate, size_t made, size_t wanted) const {
  if (!isOver()) return false;
  noteProblem(certificate, fmt::format("the time limit was reached after {} of {} runs", made, wanted));
  return true;
}

void Certifier::announce(const Diagnosis& diagnosis) {
  const bool hasAlternate = diagnosis.alternate.status == AlternateStatus::found;
  const bool isFirst = failingPart_.failing.runs == 0;
  const size_t whole = replays_ + 1; // and one that is recorded
  const size_t ofAlternate = diagnosis.otherPath ? replays_ : std::max(replays_, kMostContinuations) + whole;
  made_ = 0;
  total_ = (isFirst ? replays_ : 0) + (hasAlternate ? ofAlternate : 0);
  if (isFirst)
    observer_.willRun(Stage::certificate, hasAlternate ? 2 : 1, total_);
  else
    observer_.willRun(Stage::otherAlternate, 1, total_);
}

void Certifier::replayFailing() {
  const Schedule schedule = toSchedule(trace_, failing_, recording_.info.programHash);
  Repetition repeated;
  for (size_t run = 0; run < replays_ && !stops(failingPart_, run, replays_); ++run) {
    showRun();
    ++failingPart_.failing.runs;
    const Result<ReplayOutcome> outcome =
        replaySchedule(recording_, schedule, optionsFor(Expectation::fails, run + 1));
    if (outcome && outcome->result == ReplayResult::failedAsRecorded) {
      ++failingPart_.failing.reproduced;
      continue;
    }
    const std::string problem =
        outcome ? "a replay of the failing schedule " + wordsOf(*outcome) : outcome.error().message;
    noteProblem(failingPart_, problem);
    const bool tookLong =
        outcome && (outcome->result == ReplayResult::stuck || outcome->result == ReplayResult::diverged);
    if (tookLong && repeated.isTwice(problem)) return;
  }
}

Result<Certifier::Continuation> Certifier::continueAlternate(const Schedule& alternate, uint64_t seed) const {
  Result<ControlledRun> run = runAlong(recording_, alternate, optionsFor(Expectation::passes, seed));
  if (!run) return run.error();
  run->log = format::ControlLog::switches;
  Result<ControlReport> report = runControlled(*run);
  if (!report) return report.error();
  ReplayOutcome outcome = outcomeAlong(recording_, alternate, *run, *report);
  return Continuation{{std::move(*run), std::move(*report)}, std::move(outcome)};
}

// The first continuation that ends well; as many are made as there are replays, to count how they end, and more
// where none of them does.
std::optional<LoggedRun> Certifier::findWholeRun(const EventOrder& alternate, Certificate& certificate) {
  const Schedule schedule = toSchedule(trace_, alternate, recording_.info.programHash);
  std::optional<LoggedRun> whole;
  std::string end;
  size_t stuck = 0;
  for (size_t run = 0; run < (whole ? replays_ : std::max(replays_, kMostContinuations)) && stuck < kMostStuck;
       ++run) {
    if (stops(certificate, run, std::max(replays_, kMostContinuations))) return whole;
    showRun();
    Result<Continuation> next = continueAlternate(schedule, run + 1);
    if (!next) {
      noteProblem(certificate, next.error().message);
      return whole;
    }
    countEnd(certificate.alternate, next->outcome);
    stuck += next->outcome.result == ReplayResult::stuck;
    if (!next->isGood() && end.empty()) end = endOf(next->outcome, next->run.report);
    if (next->isGood() && !whole) whole = std::move(next->run);
  }
  if (!whole)
    noteProblem(certificate, fmt::format("none of {} continuations of the alternate ends well; the first {}",
                                         certificate.alternate.runs, end));
  return whole;
}

Result<Recording> Certifier::wholeRunOf(const Diagnosis& diagnosis, Certificate& certificate) {
  if (diagnosis.otherPath) return openRecording(diagnosis.otherPath->recording);
  const std::optional<LoggedRun> whole = findWholeRun(diagnosis.alternate.order, certificate);
  if (!whole) return nothingFound(certificate.note);
  showRun();
  return recordBeside(recording_, *whole, placeOfAlternate(recording_));
}

void Certifier::replayWhole(const Recording& whole, bool isOtherPath, Certificate& certificate) {
  Repetition repeated;
  for (size_t run = 0; run < replays_ && !stops(certificate, run, replays_); ++run) {
    showRun();
    ++certificate.whole.runs;
    const Result<ReplayOutcome> outcome = repeatRecorded(whole, optionsFor(Expectation::passes, run + 1));
    if (!outcome) return noteProblem(certificate, outcome.error().message);
    if (isOtherPath) countEnd(certificate.alternate, *outcome);
    certificate.whole.repeated += outcome->passedFailurePoint;
    if (outcome->passedFailurePoint) continue;
    noteProblem(certificate, "a replay of the alternate " + wordsOf(*outcome));
    if (outcome->result == ReplayResult::stuck && repeated.isTwice(wordsOf(*outcome))) return;
  }
}

Certificate Certifier::of(const Diagnosis& diagnosis) {
  if (replays_ == 0) {
    Certificate certificate;
    certificate.note = "not replayed (--replays 0)";
    return certificate;
  }
  announce(diagnosis);
  if (failingPart_.failing.runs == 0) replayFailing();
  Certificate certificate = failingPart_;
  if (diagnosis.alternate.status != AlternateStatus::found) return certificate;
  const Result<Recording> whole = wholeRunOf(diagnosis, certificate);
  if (whole)
    replayWhole(*whole, diagnosis.otherPath != nullptr, certificate);
  else
    noteProblem(certificate, whole.error().message);
  return certificate;
}

} // namespace symbiosis
