#include "dsp/diagnose.h"
#include "dsp/certify.h"
#include "dsp/saved_phases.h"
#include "dsp/unguarded.h"
#include "replay/replay.h"
#include "search/found_again.h"
#include "support/files.h"
#include "support/stopwatch.h"
#include "symexec/symexec.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

SolverStats merged(const SolverStats& a, const SolverStats& b) {
  return {std::max(a.constraints, b.constraints), std::max(a.variables, b.variables), a.calls + b.calls,
          a.searches + b.searches};
}

size_t countAccesses(const SymbolicTrace& trace) {
  return size_t(std::count_if(trace.events.begin(), trace.events.end(),
                              [](const Event& event) { return isAccess(event.kind); }));
}

// The time of a diagnosis, and how much of it may be gone when a stage ends: what comes after it needs some, too.
class TimeLimit {
public:
  using Clock = std::chrono::steady_clock;
  explicit TimeLimit(double seconds) : seconds_(seconds), start_(Clock::now()) {}

  Clock::time_point after(double share) const {
    constexpr double kLongest = 1e8; // without overflowing the clock
    return start_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(std::min(seconds_, kLongest) * share));
  }
  // `share` of the limit from now on, but not past `most` of it.
  Clock::time_point fromNow(double share, double most) const {
    return std::min(after(most), Clock::now() + (after(share) - start_));
  }
  double secondsUntil(double share) const {
    return std::max(0.0, std::chrono::duration<double>(after(share) - Clock::now()).count());
  }
  bool isOver() const { return Clock::now() >= after(1); }
  // For the limits of the diagnosis: what the stage has left undone.
  std::string words(const char* undone) const {
    return fmt::format("the time limit of {} s was reached: {} (--time-limit)", seconds_, undone);
  }

private:
  double seconds_;
  Clock::time_point start_;
};
constexpr double kQuickQuestion = 2;                   // seconds
constexpr double kForQuickQuestions = 0.08;            // of the limit
constexpr size_t kMostEventsForQuickQuestions = 5'000; // of more, every question takes more than a moment
constexpr double kForFindingAgain = 0.25, kForSolver = 0.6, kForOtherPath = 0.8; // the rest is for the certificate

// The recording itself, not `latest`, so that the commands in an old report stay right.
std::string nameOf(const fs::path& directory) {
  std::error_code unresolved;
  const fs::path resolved = fs::proximate(fs::canonical(directory, unresolved), unresolved);
  return unresolved ? directory.string() : resolved.string();
}

Error nothingToExplain(const SymbolicTrace& trace) {
  return badInput(
      fmt::format("the recorded run passed ({}): there is no failure to explain. Record one that fails "
                  "with: symbiosis profile",
                  trace.failure.message));
}

// Of what the answers of the stages depend on.
std::string keyOf(const DiagnoseOptions& options, const SymbolicTrace& trace, const Recording& recording) {
  return contentHash(fmt::format(
      "{} {} {} {} {} {} {} {}\n{}{}", SYMBIOSIS_VERSION, recording.info.programHash, int(options.failing.order),
      int(options.solver.encoding), options.explain.mostCauses, options.explain.mostAlternates,
      options.failing.reduces, options.replays, toText(trace), options.schedule ? toText(*options.schedule) : ""));
}

// What is known of runs on other paths, where there is none to show.
Confirmation confirmationOf(const DecisiveSearch& search, std::string note) {
  return {.runs = search.explored,
          .failed = search.explored - search.exploredPassed - search.exploredUndecided,
          .undecided = search.exploredUndecided,
          .turned = search.counts.turned,
          .note = std::move(note)};
}

// What was run in search of another path.
void noteSearch(const OtherPathAnswer& answer, Diagnosis& diagnosis) {
  diagnosis.confirmation = confirmationOf(answer.search, answer.note);
  for (const std::string& problem : answer.search.problems)
    diagnosis.limits.push_back("a turned decision was not taken, which is a bug of symbiosis: " + problem);
}

// A run on another path takes the place of the alternate; from here on events are those of the joined trace.
void adopt(const OtherPathAnswer& answer, DiagnosedRun& run) {
  Diagnosis& diagnosis = run.diagnosis;
  const OtherPath& path = *answer.path;
  diagnosis.otherPath = answer.path;
  diagnosis.failing = path.joined.join(0, path.orders[0]);
  diagnosis.alternate.status = AlternateStatus::found;
  diagnosis.alternate.method = AlternateMethod::search;
  diagnosis.alternate.inverted.reset();
  diagnosis.alternate.note.clear();
  diagnosis.alternate.order = path.joined.join(1, path.orders[1]);
  diagnosis.otherAlternates.clear();
  diagnosis.otherCauses.clear();
  diagnosis.rootCause = answer.cause;
  diagnosis.dsp = projectRuns(path, answer.cause);
  diagnosis.classification = classifyRuns(path, diagnosis.dsp);
  sayForgottenLock(path.runs[0], path.orders[0], diagnosis.classification);
  run.trace = path.joined.trace;
}

std::vector<std::string> limitsOf(const SymbolicTrace& trace, const FailingSchedule& failing,
                                  const Explanation& explanation, const ExplainOptions& options) {
  std::vector<std::string> limits = failing.limits;
  if (options.mostCauses > 1 && !explanation.hasAllCauses)
    limits.push_back("there may be more causes than those listed");
  for (std::string& limit : symbiosis::limitsOf(trace)) limits.push_back(std::move(limit));
  return limits;
}

// There is no whole run to show: one that an earlier diagnosis kept is not this one's.
void forgetAlternate(const Recording& recording) {
  std::error_code ignored;
  fs::remove_all(placeOfAlternate(recording), ignored);
}

// The diagnosis with the first of the other alternates that ends well in the place of its own; if there is none,
// as it was.
Diagnosis withAnother(Diagnosis diagnosis, const SymbolicTrace& trace, const Explanation& explanation,
                      const std::vector<Alternate>& others, Certifier& certifier) {
  for (const Alternate& other : others) {
    if (other.status != AlternateStatus::found || other.order == diagnosis.alternate.order) continue;
    Explanation with = explanation;
    with.alternates = {other};
    Diagnosis tried = describe(trace, with);
    tried.certificate = certifier.of(tried);
    if (tried.certificate.neverEndsWell()) continue;
    tried.limits = std::move(diagnosis.limits);
    tried.limits.push_back("a nearer schedule passes this check, but " + diagnosis.certificate.note);
    tried.confirmation = std::move(diagnosis.confirmation);
    return tried;
  }
  return diagnosis;
}

} // namespace

// The given schedule as an order of the trace; nothing: it follows another path, or does not fail as the trace has
// it.
static std::optional<EventOrder> givenOrder(const SymbolicTrace& trace, const Schedule& schedule) {
  Result<EventOrder> order = toOrder(trace, schedule);
  if (!order || Evaluator(trace).run(*order).outcome != Outcome::failing) return std::nullopt;
  return std::move(*order);
}

// A schedule that leaves the recorded path: the run along it takes the place of the recorded one.
static Result<DiagnosedRun> diagnoseRunAlong(const Recording& recording, DiagnoseOptions options,
                                             Observer& observer) {
  if (options.replays == 0)
    return badInput(
        "--schedule: it does not follow the recorded path, so that it has to be run; leave out --replays 0");
  Result<WalkedRun> run = recordFailing(recording, *options.schedule, recording.directory / "report" / "failing");
  if (!run) return run.error();
  options.schedule.reset();
  options.level = format::Level::full;
  options.failing.given = run->order;
  Result<DiagnosedRun> diagnosed = diagnose(run->recording, options, observer);
  if (diagnosed) {
    diagnosed->diagnosis.recording = nameOf(recording.directory);
    diagnosed->diagnosis.limits.push_back("the schedule leaves the path of the recorded run: the run along it was "
                                          "recorded, and is what is explained");
  }
  return diagnosed;
}

// The program, along the failing schedule of a native run, does what was recorded.
static bool isRepeated(const Recording& recording, const SymbolicTrace& trace, const EventOrder& failing) {
  const Schedule schedule = toSchedule(trace, failing, recording.info.programHash);
  const Result<ReplayOutcome> outcome = replaySchedule(recording, schedule, {});
  return outcome && outcome->result == ReplayResult::failedAsRecorded;
}

// The failure of a native run, found again under control, takes the place of the recorded one. `trace`: of the
// native run; null: there is none. Nothing: it is not found, or not to be looked for.
static std::optional<DiagnosedRun> diagnoseFoundAgain(const Recording& recording, const SymbolicTrace* trace,
                                                      const std::string& problem, DiagnoseOptions options,
                                                      const TimeLimit& limit, Observer& observer) {
  if (!recording.granted.empty() || options.replays == 0 || options.schedule) return std::nullopt;
  FindAgainOptions wanted;
  wanted.deadline = limit.fromNow(kForFindingAgain, kForOtherPath);
  observer.looksAgain(problem, wanted.mostRuns);
  Result<FoundAgain> again =
      findAgain(recording, trace, recording.directory / "report" / "failing", wanted,
                [&](uint64_t run) { observer.runs(Stage::foundAgain, run, wanted.mostRuns); });
  if (!again) return std::nullopt;
  options.seconds = std::max(1.0, limit.secondsUntil(1));
  options.level = format::Level::full;
  Result<DiagnosedRun> diagnosed = diagnose(again->run.recording, options, observer);
  if (!diagnosed) return std::nullopt;
  diagnosed->diagnosis.recording = nameOf(recording.directory);
  diagnosed->diagnosis.limits.push_back(
      fmt::format("{}; schedule {} under control fails {}, and is what is explained", problem, again->number,
                  again->isSamePlace ? "in the same way" : "alike"));
  return std::move(*diagnosed);
}

// It has decided so much that a trace of it would have millions of events: of a run under control, of which every
// load was logged, less is an event.
static bool isLongNative(const Recording& recording) {
  constexpr size_t kManyBranches = 500'000;
  size_t words = 0;
  for (const ThreadLog& thread : recording.threads) words += thread.path.size();
  return recording.granted.empty() && recording.info.level != format::Level::full && 64 * words > kManyBranches;
}

Result<DiagnosedRun> diagnose(const Recording& recording, const DiagnoseOptions& options, Observer& observer) {
  const Stopwatch total;
  const TimeLimit limit(options.seconds);
  if (isLongNative(recording))
    if (auto again =
            diagnoseFoundAgain(recording, nullptr, "the run is long and was native", options, limit, observer))
      return std::move(*again);
  SolverOptions questions = options.solver;
  questions.limits.deadline = limit.after(kForSolver);
  StageSeconds seconds;

  // 1. Symbolic trace collection (§3.2): each thread's path is followed; what it read from others is symbolic.
  observer.begins(Stage::symbolicTrace);
  Result<SymbolicTrace> trace =
      timed(seconds.symexec, [&] { return executeSymbolically(recording, {.atMost = options.level}); });
  auto foundAgain = [&](const std::string& problem) {
    return diagnoseFoundAgain(recording, trace ? &*trace : nullptr, problem, options, limit, observer);
  };
  auto foundAgainAfter = [&](const char* what, const Error& error) -> std::optional<DiagnosedRun> {
    if (error.kind == ErrorKind::badInput) return std::nullopt; // that is for the user to mend
    return foundAgain(fmt::format("{}: {}", what, error.message));
  };
  if (!trace) {
    if (auto again = foundAgainAfter("the recorded run cannot be followed", trace.error()))
      return std::move(*again);
    return trace.error();
  }
  if (trace->failure.kind == FailureKind::none) return nothingToExplain(*trace);
  FailingOptions wanted = options.failing;
  if (options.schedule) {
    if (Result<void> fits = checkProgram(recording, *options.schedule); !fits) return fits.error();
    wanted.given = givenOrder(*trace, *options.schedule);
    if (!wanted.given) return diagnoseRunAlong(recording, options, observer);
  }

  // What an earlier diagnosis of this recording has found is not computed again.
  StageCache stages(recording.directory / "report" / "phases.json", keyOf(options, *trace, recording), *trace,
                    !options.again);
  if (stages.hasFound()) observer.goesOnFromSaved();

  // 2. Failing schedule (§3.3): an order of all events that fails as the recorded run did. From here on every
  //    schedule has been evaluated.
  Result<FailingSchedule> failing = stages.cached(&SavedPhases::failing, [&] {
    observer.begins(Stage::failingSchedule);
    return findFailingSchedule(*trace, recording, questions, wanted);
  });
  if (!failing) {
    if (auto again = foundAgainAfter("no schedule explains the recorded run", failing.error()))
      return std::move(*again);
    return failing.error();
  }
  //    That of a native run rests on guesses about what came from outside: it is run once, before it is explained.
  if (recording.granted.empty() && options.replays > 0) {
    observer.willRun(Stage::firstReplay, 1, 1);
    if (!isRepeated(recording, *trace, failing->order))
      if (auto again = foundAgain("the program does not repeat the recorded run")) return std::move(*again);
  }

  // Another path: the decision that chose the recorded one, and a run on another.
  std::optional<OtherPathAnswer> other;
  auto lookForOtherPath = [&](const EventOrder& order) -> Result<void> {
    if (other) return {};
    OtherPathOptions otherPath = options.otherPath;
    otherPath.isFull = options.level == format::Level::full;
    otherPath.decisive.seconds = std::min(otherPath.decisive.seconds, limit.secondsUntil(kForOtherPath));
    otherPath.decisive.question.deadline = limit.after(kForOtherPath);
    otherPath.cause.deadline = limit.after(kForOtherPath);
    Result<OtherPathAnswer> answer =
        timed(seconds.alternate, [&] { return findOtherPath(recording, *trace, order, otherPath, observer); });
    if (!answer) return answer.error();
    other = std::move(*answer);
    return {};
  };

  // 3., 4. Root cause (§3.4): the orderings that force the failure. Alternate (§3.5): the nearest schedule that
  //    passes. The failing schedule is from here on the one that they explain.
  ScheduleSolver solver(*trace, questions);
  solver.guideBy(failing->order);
  auto explainBy = [&](ScheduleSolver& asked) {
    return explain(*trace, asked, failing->order, options.explain, observer);
  };
  Result<Explanation> explanation = stages.cached(&SavedPhases::explanation, [&]() -> Result<Explanation> {
    if (trace->events.size() > kMostEventsForQuickQuestions) return explainBy(solver);
    //  Where it is the path that went wrong, a proof that no schedule of it passes may take long and says little.
    //  So at first each question has a moment; what that does not answer comes after the other paths.
    SolverOptions quick = questions;
    quick.limits.seconds = std::min(quick.limits.seconds, kQuickQuestion);
    quick.limits.deadline = std::min(quick.limits.deadline, limit.fromNow(kForQuickQuestions, kForSolver));
    ScheduleSolver quickSolver(*trace, quick);
    quickSolver.guideBy(failing->order);
    Explanation first = explainBy(quickSolver);
    if (first.isProved()) return first;
    const bool hasAlternate = first.alternates.front().status == AlternateStatus::found;
    if (!hasAlternate && options.replays > 0) {
      if (Result<void> looked = lookForOtherPath(first.failing); !looked) return looked.error();
      if (other->path && other->path->isDecisive) return first;
    }
    Explanation whole = explainBy(solver);
    if (whole.failing != first.failing) other.reset(); // it is about the other one
    whole.seconds += first.seconds;
    return whole;
  });
  if (!explanation) return explanation.error();

  // 5. Differential schedule projection (§3.6): what differs, and what to call it.
  DiagnosedRun result{*trace, describe(*trace, *explanation)};
  Diagnosis& diagnosis = result.diagnosis;
  diagnosis.limits = limitsOf(*trace, *failing, *explanation, options.explain);

  // 6. Where no schedule of this path passes, or only by losing an update: a run on another path.
  auto noteOtherPath = [&] {
    noteSearch(*other, diagnosis);
    if (!other->search.complete && limit.secondsUntil(kForOtherPath) == 0)
      diagnosis.limits.push_back(limit.words("not all decisions were turned"));
  };
  const bool hasAlternate = diagnosis.alternate.status == AlternateStatus::found;
  if ((!hasAlternate || diagnosis.alternate.losesUpdate) && options.replays > 0) {
    if (Result<void> looked = lookForOtherPath(explanation->failing); !looked) return looked.error();
    noteOtherPath();
    if (hasAlternate) diagnosis.limits.push_back("schedules of this path pass only by losing an update");
    if (other->path && (!hasAlternate || other->path->isDecisive)) adopt(*other, result);
  }

  // 7. Certificate: both runs on the real program.
  Certifier certifier(recording, *trace, explanation->failing, options.replays, observer,
                      options.seconds > 0 ? limit.after(1) : Certifier::Deadline::max());
  auto certify = [&]() -> Result<Certificate> {
    return timed(seconds.replay, [&] { return certifier.of(diagnosis); });
  };
  Result<Certificate> certificate =
      diagnosis.otherPath ? certify() : stages.cached(&SavedPhases::certificate, certify);
  if (!certificate) return certificate.error();
  diagnosis.certificate = *certificate;

  // 8. Where the alternate passes the check and then never ends well: another one of this path, or a run on
  // another.
  if (diagnosis.certificate.neverEndsWell() && limit.isOver())
    diagnosis.limits.push_back(limit.words("no other alternate was looked for"));
  if (diagnosis.certificate.neverEndsWell() && !diagnosis.otherPath && !limit.isOver()) {
    constexpr size_t kMostTried = 4;
    const std::vector<Alternate> others = timed(seconds.alternate, [&] {
      return findAlternates(*trace, solver, explanation->failing, explanation->causes.front(), kMostTried);
    });
    diagnosis = timed(seconds.replay,
                      [&] { return withAnother(std::move(diagnosis), *trace, *explanation, others, certifier); });
  }
  if (diagnosis.certificate.neverEndsWell() && !diagnosis.otherPath && !limit.isOver()) {
    const bool isNew = !other;
    if (Result<void> looked = lookForOtherPath(explanation->failing); !looked) return looked.error();
    if (isNew) noteOtherPath();
    if (other->path) {
      diagnosis.limits.push_back("schedules of this path pass this check, but " + diagnosis.certificate.note);
      adopt(*other, result);
      diagnosis.certificate = *certify();
    }
  }
  if (diagnosis.certificate.whole.runs == 0) forgetAlternate(recording);

  // 9. What is not repeated rests on something that no event shows (memory that was overrun, a library's state).
  // The
  //    order of a controlled run has been seen to repeat: then that is explained, as it was.
  const Certificate::Failing& repeated = diagnosis.certificate.failing;
  if (repeated.reproduced < repeated.runs && !recording.granted.empty() && !options.schedule &&
      options.failing.order == WantedOrder::simpler) {
    DiagnoseOptions asRecorded = options;
    asRecorded.failing = {.order = WantedOrder::recorded, .reduces = false, .given = {}};
    Result<DiagnosedRun> again = diagnose(recording, asRecorded, observer);
    if (again && again->diagnosis.certificate.failing.reproduced == again->diagnosis.certificate.failing.runs) {
      again->diagnosis.limits.push_back(
          "schedules with fewer context switches fail in the model, but the program does "
          "not repeat them: the order is the one that was recorded");
      return again;
    }
  }

  // At the limit nobody knows whether there is one.
  if (diagnosis.alternate.status == AlternateStatus::noneFound && limit.isOver())
    diagnosis.alternate.status = AlternateStatus::unknown;
  diagnosis.program = {recording.info.program, recording.info.arguments};
  diagnosis.recording = nameOf(recording.directory);
  diagnosis.originalSwitches = failing->originalSwitches;
  diagnosis.originalPreemptions = failing->originalPreemptions;
  diagnosis.stats = {recording.info.logBytes, trace->events.size(), countAccesses(*trace),
                     merged(failing->solver, solver.stats()), seconds};
  (diagnosis.stats.seconds += failing->seconds) += explanation->seconds;
  diagnosis.stats.seconds.total = total.seconds();
  return result;
}

} // namespace symbiosis
