#include "cli/isolate_words.h"
#include "cli/labelled_lines.h"
#include "cli/progress.h"
#include "dsp/wording.h"
#include "trace/evaluated_schedule.h"
#include "viz/text.h"
#include "viz/words.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {
namespace {

std::string nameOf(const KeptRun& run, const std::string& thread) {
  if (run.trace)
    for (const TraceThread& known : run.trace->threads)
      if (known.id == thread) return printable(known.displayName);
  return "thread " + thread;
}

// The thread's latest event before its point `end`; kNoEvent: the trace has none.
EventRef lastBefore(const KeptRun& run, const std::string& thread, uint64_t end) {
  EventRef found = kNoEvent;
  if (!run.trace) return found;
  for (EventRef ref = 0; ref < run.trace->events.size(); ++ref) {
    const Event& event = run.trace->event(ref);
    if (run.trace->threads[event.id.thread].id == thread && event.id.index < end && !event.synthetic &&
        !event.pending)
      found = ref;
  }
  return found;
}

std::string doingOf(const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  if (const std::string sync = syncWords(trace, ref, kNoEvent); !sync.empty()) return sync;
  if (isAccess(event.kind) && !event.variable.empty())
    return fmt::format("{} {}",
                       event.kind == EventKind::read    ? "reads"
                       : event.kind == EventKind::write ? "writes"
                                                        : "updates",
                       shortenMiddle(printable(event.variable), 30));
  return toText(event.kind);
}

// "tickets.c:17 reads left (T1, event 5)".
std::string pointWords(const KeptRun& run, const std::string& thread, uint64_t end) {
  const EventRef ref = lastBefore(run, thread, end);
  if (end == 0 || ref == kNoEvent) return fmt::format("the beginning of {}", nameOf(run, thread));
  const std::string place = fileAndLine(*run.trace, run.trace->event(ref).location);
  return fmt::format("{}{}{} ({}, event {})", place, place.empty() ? "" : " ", doingOf(*run.trace, ref),
                     nameOf(run, thread), end - 1);
}

// Functions that are active at the event, innermost first: "seller (tickets.c:17) < main (tickets.c:30)".
std::string backtraceOf(const SymbolicTrace& trace, EventRef ref) {
  const Event& event = trace.event(ref);
  std::vector<std::string> frames;
  auto add = [&](uint32_t location) {
    if (location == kNone) return;
    const SourceLocation& at = trace.locations[location];
    frames.push_back(
        fmt::format("{} ({})", at.function.empty() ? "?" : printable(at.function), fileAndLine(trace, location)));
  };
  add(event.location);
  for (size_t i = event.stack.size(); i-- > 0;) add(event.stack[i]);
  return fmt::format("{}", fmt::join(frames, " < "));
}

// Who goes on behind the turn of `thread` that ends there; empty: nobody.
std::string nextThread(const IsolatedRun& run, const std::string& thread, uint64_t end) {
  const Turns turns = turnsOf(run.report);
  for (size_t i = 0; i + 1 < turns.size(); ++i)
    if (turns[i].thread == thread && turns[i].end >= end) return turns[i + 1].thread;
  return {};
}

std::string chain(const std::vector<uint64_t>& left) {
  return fmt::format("{}", fmt::join(left, wantsUtf8() ? " → " : " -> "));
}
void printNarrowing(const char* what, const Narrowing& narrowing) {
  if (narrowing.tests == 0) return;
  fmt::print("  {} {}  ({}: {} failed, {} passed, {} unresolved)\n", chain(narrowing.left), what,
             countedWords(narrowing.tests, "test", "tests"), narrowing.failed, narrowing.passed,
             narrowing.unresolved);
}

std::string replayWords(const KeptRun& run) {
  return run.replays == 0 ? "" : fmt::format(" {}/{}", run.asExpected, run.replays);
}

void printSwitch(const Isolated& result, size_t slot, const KeptRun& failing, const KeptRun& passing) {
  const std::string& thread = result.slots[slot];
  const uint64_t ends[] = {result.delta.failing[slot], result.delta.passing[slot]};
  std::string next = nextThread(result.failing, thread, ends[0]);
  if (next.empty()) next = nextThread(result.passing, thread, ends[1]);
  say("", fmt::format("the switch from {}{} happens", nameOf(failing, thread),
                      next.empty() ? "" : " to " + nameOf(failing, next)));
  say("", fmt::format("after  {}   {} fails{}", pointWords(failing, thread, ends[0]), wantsUtf8() ? "✗" : "x",
                      replayWords(failing)));
  say("", fmt::format("not    {}   {} passes{}", pointWords(passing, thread, ends[1]), wantsUtf8() ? "✓" : "+",
                      replayWords(passing)));
}

// Where both threads stand at the switch, in the failing run.
void printPlaces(const Isolated& result, size_t slot, const KeptRun& failing) {
  const std::string& thread = result.slots[slot];
  const uint64_t behind = result.delta.failing[slot];
  for (const std::string& who : {thread, nextThread(result.failing, thread, behind)}) {
    if (who.empty() || !failing.trace) continue;
    uint64_t end = behind;
    if (who != thread) {
      // Where it stands when it goes on: what it has done in earlier turns.
      end = 0;
      for (const ThreadTurn& turn : result.failing.turns) {
        if (turn.thread == thread && turn.end >= behind) break;
        if (turn.thread == who) end = turn.end;
      }
    }
    const EventRef at = lastBefore(failing, who, end);
    say(fmt::format("{} there", nameOf(failing, who)).c_str(),
        at == kNoEvent ? "has not begun" : backtraceOf(*failing.trace, at));
  }
}

} // namespace

void printIsolated(const Isolated& result, const KeptRun& failing, const KeptRun& passing,
                   const std::string& report, const std::string& directory) {
  printNarrowing("switches", result.delta.bySwitch);
  printNarrowing("steps", result.delta.byStep);
  const std::vector<size_t> differences = result.differences();
  say(result.delta.isMinimal ? "ISOLATED" : "NARROWED",
      differences.size() == 1 ? "The run fails if and only if" : "The run fails if and only if, together,");
  for (size_t slot : differences) printSwitch(result, slot, failing, passing);
  say("", result.delta.isMinimal ? "with all other switches as in these two schedules (1-minimal)"
                                 : "and perhaps for less: the budget of runs or seconds ended first");
  for (size_t slot : differences) printPlaces(result, slot, failing);
  const Narrowing &a = result.delta.bySwitch, &b = result.delta.byStep;
  std::string tests =
      fmt::format("{} in {:.1f} s: {} failed, {} passed, {} unresolved", countedWords(result.runs, "run", "runs"),
                  result.seconds, a.failed + b.failed, a.passed + b.passed, a.unresolved + b.unresolved);
  if (!result.unresolved.empty()) tests += fmt::format(" ({})", printable(result.unresolved));
  if (failing.replays > 0) tests += fmt::format("; then {} replays", failing.replays + passing.replays);
  say("Tests", tests);
  fmt::print("{}{}\n{}{}\n", padded("Kept", kLabelColumns), failing.schedule, padded("", kLabelColumns),
             passing.schedule);
  if (!report.empty()) fmt::print("{}{}\n", padded("Report", kLabelColumns), report);
  fmt::print("{}symbiosis replay{} --schedule {}\n", padded("Next", kLabelColumns),
             directory.empty() ? "" : " " + directory, failing.schedule);
}

} // namespace symbiosis
