#include "viz/words.h"
#include "dsp/wording.h"
#include "trace/life.h"
#include "trace/sync_model.h"
#include "trace/trace_end.h"
#include "viz/text.h"
#include <fmt/format.h>

namespace symbiosis {

static constexpr size_t kMostOrdersSaid = 3;

std::string fileAndLine(const SymbolicTrace& trace, uint32_t location) {
  if (location == kNone || trace.locations[location].line == 0) return "";
  return printable(fmt::format("{}:{}", fileName(trace.locations[location].file), trace.locations[location].line));
}

std::string failureWords(const SymbolicTrace& trace) {
  const Failure& failure = trace.failure;
  std::string words = toText(failure.kind);
  const std::string message = shortenMiddle(tidied(printable(failure.message)), 60);
  if (!TraceEnd(trace).isDecidedByValues()) return fmt::format("{}: {}", words, printable(failure.message));
  if (!message.empty())
    words += failure.kind == FailureKind::assertion ? fmt::format(" \"{}\"", message) : ": " + message;
  if (const std::string at = fileAndLine(trace, failure.location); !at.empty()) words += " at " + at;
  if (failure.event != kNoEvent)
    words += fmt::format(" in thread {}", printable(trace.threads[trace.threadOf(failure.event)].displayName));
  return words;
}

static std::string pendingWords(const SymbolicTrace& trace, const Event& event, const std::string& name,
                                bool proceeds) {
  std::string what = name;
  if (event.kind == EventKind::join && event.peer != kNone) what = trace.threads[event.peer].displayName;
  if (!proceeds) return fmt::format("waits for {} for ever", what);
  if (event.kind == EventKind::join) return fmt::format("sees {} end", what);
  return sync::ruleOf(event.kind).goesOn + what;
}

std::string syncWords(const SymbolicTrace& trace, EventRef ref, EventRef proceeded) {
  const Event& event = trace.event(ref);
  const std::string name = event.variable.empty() ? "it" : shortenMiddle(printable(event.variable), 20);
  if (event.pending)
    return proceeded == kNoEvent || proceeded == ref ? pendingWords(trace, event, name, proceeded == ref) : "";
  const std::string text = sync::ruleOf(event.kind).text;
  return text.ends_with(' ') ? text + name : text;
}

std::string lifeWords(const SymbolicTrace& trace, EventRef ref, bool isAlive) {
  const LifeStep step = lifeStepOf(trace, ref);
  if (step == LifeStep::none) return "";
  const TraceObject& block = trace.objects[trace.event(ref).object];
  const std::string name = block.name.empty() ? "the block" : shortenMiddle(printable(block.name), 24);
  const std::string object = shortenMiddle(printable(trace.event(ref).variable), 24);
  if (trace.failure.kind == FailureKind::useAfterDestroy && step != LifeStep::uses)
    return step == LifeStep::ends ? "destroys " + object
                                  : fmt::format("finds {} {}", object, isAlive ? "in order" : "destroyed");
  switch (step) {
  case LifeStep::begins:
    return fmt::format("allocates {}, {} byte{}", name, block.size, block.size == 1 ? "" : "s");
  case LifeStep::uses: return object.empty() ? "uses the block" : "uses " + object;
  case LifeStep::looks: return fmt::format("finds {} {}", name, isAlive ? "alive" : "gone");
  case LifeStep::ends: return "frees " + name;
  case LifeStep::none: break;
  }
  return "";
}

std::string eventId(const Diagnosis& diagnosis, const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  const bool isElsewhere = diagnosis.otherPath && diagnosis.otherPath->joined.isMissing(0, ref);
  return fmt::format("{}:{}{}", trace.threads[event.id.thread].id, event.id.index, isElsewhere ? "a" : "");
}

std::string eventWords(const Diagnosis& diagnosis, const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  const std::string place = placeOf(trace, event.location, mainFile(trace, shownFailure(trace, diagnosis.dsp)));
  return printable(fmt::format("{} {}", trace.threads[event.id.thread].displayName,
                               place.empty() ? toText(event.kind) : place));
}

static std::string ordersWords(const Diagnosis& diagnosis, const RootCause& cause, const SymbolicTrace& trace) {
  std::string words;
  for (size_t i = 0; i < cause.orders.size() && i < kMostOrdersSaid; ++i)
    words +=
        fmt::format("{}{} before {}", i == 0 ? "" : "; ", eventWords(diagnosis, trace, cause.orders[i].before),
                    eventWords(diagnosis, trace, cause.orders[i].after));
  if (cause.orders.size() > kMostOrdersSaid)
    words += fmt::format("; {} more", cause.orders.size() - kMostOrdersSaid);
  return words + ".";
}

bool isInEveryRun(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  return !TraceEnd(trace).isDecidedByValues() && diagnosis.certificate.neverEndsWell() &&
         diagnosis.confirmation.alwaysFails();
}

std::string causeWords(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  const RootCause& cause = diagnosis.rootCause;
  if (cause.orders.empty() && diagnosis.otherPath)
    return "Every schedule of the failing path fails; what differs is the path itself.";
  if (cause.orders.empty() && cause.status == ProofStatus::proved)
    return "No ordering is needed: every schedule of this path fails.";
  if (cause.orders.empty()) return fmt::format("Root cause not found: {}.", printable(cause.note));
  if (isInEveryRun(diagnosis, trace))
    return "Every run fails; who waits is decided by the order: " + ordersWords(diagnosis, cause, trace);
  const bool isOne = cause.orders.size() == 1, isKnown = cause.status != ProofStatus::unknown;
  const bool forDecision = diagnosis.otherPath != nullptr;
  return fmt::format("{} ordering{} the {} ({}{}{}): {}", cause.orders.size(), isOne ? " forces" : "s force",
                     forDecision ? "decision" : "failure", isKnown ? "minimal: " : "",
                     isKnown ? toText(cause.status) : "not reduced", isKnown && forDecision ? " up to it" : "",
                     ordersWords(diagnosis, cause, trace));
}

static std::string confirmationWords(const Confirmation& c) {
  if (c.alwaysFails())
    return c.turned == 0
               ? fmt::format(
                     "{} explored runs with the same input all fail too, under strategies that differ, and no "
                     "order of events makes a thread take another path: not schedule-dependent as far as "
                     "that shows.",
                     c.runs)
               : fmt::format(
                     "{} explored runs with the same input all fail too, and so do runs in which its decisions "
                     "go otherwise ({} turned): no run that passes was found.",
                     c.runs, c.turned);
  if (c.runs > 0 && c.passed() > 0)
    return fmt::format("{} of {} explored runs with the same input pass, so that the path itself depends on the "
                       "schedule.",
                       c.passed(), c.runs);
  return "the path itself may depend on the schedule.";
}

// How the alternate was made.
static std::string madeWords(const Diagnosis& diagnosis, const SymbolicTrace& trace, const std::string& tried) {
  const Alternate& alternate = diagnosis.alternate;
  if (diagnosis.otherPath) return "Alternate on another path: a whole run, recorded.";
  if (!alternate.inverted) return fmt::format("Alternate by search: no single inversion passes, {}.", tried);
  if (diagnosis.rootCause.orders == std::vector{*alternate.inverted})
    return fmt::format("Alternate by turning that pair round, {}.", tried);
  return fmt::format("Alternate by turning one pair round: {} ⇄ {}, {}.",
                     eventWords(diagnosis, trace, alternate.inverted->before),
                     eventWords(diagnosis, trace, alternate.inverted->after), tried);
}

std::string alwaysLaterWords(const Diagnosis& diagnosis) {
  const Confirmation& c = diagnosis.confirmation;
  return fmt::format("none of {} such runs ends well{}", diagnosis.certificate.alternate.runs,
                     c.alwaysFails() ? fmt::format("; {} explored runs with the same input all fail, too", c.runs)
                                     : "");
}

std::string alternativeWords(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  const Alternate& alternate = diagnosis.alternate;
  const std::string tried =
      fmt::format("{} pair{} tried", alternate.pairsTried, alternate.pairsTried == 1 ? "" : "s");
  switch (alternate.status) {
  case AlternateStatus::found:
    return madeWords(diagnosis, trace, tried) +
           (diagnosis.certificate.neverEndsWell() ? " It fails later: " + alwaysLaterWords(diagnosis) + "." : "");
  case AlternateStatus::noneProved:
    return (alternate.addressesMatter
                ? "None with the recorded addresses and values given to functions outside: every schedule of this "
                  "path that keeps them fails (proved); "
                : "Every schedule of this path fails (proved); ") +
           confirmationWords(diagnosis.confirmation);
  case AlternateStatus::noneFound:
  case AlternateStatus::unknown: break;
  }
  return fmt::format("No passing order found on this path, {}{}{}.", tried, alternate.note.empty() ? "" : ": ",
                     printable(alternate.note));
}

std::vector<std::string> otherWords(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  std::vector<std::string> sentences;
  for (const RootCause& cause : diagnosis.otherCauses)
    sentences.push_back(
        fmt::format("Another cause ({}): {}", toText(cause.status), ordersWords(diagnosis, cause, trace)));
  for (size_t i = 0; i < diagnosis.otherAlternates.size(); ++i) {
    const Alternate& alternate = diagnosis.otherAlternates[i];
    sentences.push_back(fmt::format("Also passes when {} runs before {} (alternate-{}.schedule).",
                                    eventWords(diagnosis, trace, alternate.inverted->after),
                                    eventWords(diagnosis, trace, alternate.inverted->before), i + 2));
  }
  return sentences;
}

std::string decisionWords(const Diagnosis& diagnosis, const SymbolicTrace& trace) {
  const ShownDecision& decision = diagnosis.otherPath->decision;
  const std::string condition = decision.condition.empty() ? "" : ", " + printable(decision.condition);
  return fmt::format("{}{}: {}; in the passing run {}", eventWords(diagnosis, trace, decision.event), condition,
                     printable(decision.failing), printable(decision.alternate));
}

std::string contrastWords(const Contrast& c) {
  const double chance = chanceOf(c);
  return fmt::format("turned: {}/{} pass · control: {}/{} pass{}", c.turnedPass, c.turnedRuns, c.controlPass,
                     c.controlRuns,
                     c.controlPass == 0      ? ""
                     : chance < 0.001        ? " (p < 0.001)"
                     : chance < kSignificant ? fmt::format(" (p = {:.3f})", chance)
                                             : fmt::format(" (p = {:.2f}: may be luck)", chance));
}

// "19 of 20 continuations finish cleanly, 1 fails later"
static std::string continuationWords(const Certificate::Passing& counts) {
  std::string words = fmt::format("{} of {} continuations finish cleanly", counts.completedOk, counts.runs);
  if (counts.failedLater > 0)
    words += fmt::format(", {} {} later", counts.failedLater, counts.failedLater == 1 ? "fails" : "fail");
  if (counts.diverged > 0) words += fmt::format(", {} diverged", counts.diverged);
  if (counts.passedFailurePoint < counts.runs)
    words += fmt::format(", {} pass this check", counts.passedFailurePoint);
  return words;
}

std::string certificateWords(const Diagnosis& diagnosis) {
  const Certificate& c = diagnosis.certificate;
  if (c.failing.runs == 0 && c.alternate.runs == 0)
    return fmt::format("not validated: {}", c.note.empty() ? "the program was not run again" : printable(c.note));
  std::string words = fmt::format("failing schedule {}/{} failed", c.failing.reproduced, c.failing.runs);
  if (c.whole.runs > 0)
    words +=
        fmt::format("; alternate{} {}/{} passed", diagnosis.otherPath ? ", on another path," : ", a whole run,",
                    c.whole.repeated, c.whole.runs);
  if (c.alternate.runs > 0 && !diagnosis.otherPath) words += "; " + continuationWords(c.alternate);
  if (!c.complete()) words += fmt::format("; incomplete{}{}", c.note.empty() ? "" : ": ", printable(c.note));
  return words;
}

} // namespace symbiosis
