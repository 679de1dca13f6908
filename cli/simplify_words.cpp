#include "cli/simplify_words.h"
#include "cli/labelled_lines.h"
#include "cli/progress.h"
#include "trace/switches.h"
#include "viz/switch_words.h"
#include "viz/text.h"
#include "viz/words.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace symbiosis {
namespace {

constexpr size_t kMostSwitchesSaid = 10; // of a kind

void printTable(const std::vector<SimplifyStep>& steps) {
  fmt::print("{:>23}  {:>11}  {:>7}  {:>7}  {:>5}  {:>7}\n", "switches", "preemptions", "threads", "events",
             "runs", "seconds");
  for (const SimplifyStep& step : steps) {
    const ScheduleSize& size = step.size;
    std::string line = fmt::format("  {:<11}{:>10}  {:>11}  {:>7}  {:>7}", toText(step.method), size.switches,
                                   size.preemptions, size.threads, size.events);
    if (step.method != SimplifyMethod::automatic)
      line += fmt::format("  {:>5}  {:>7.1f}", step.runs, step.seconds);
    fmt::print("{}\n", line);
  }
}

// What becomes of whoever goes on at a switch.
std::string thenWords(const SymbolicTrace& trace, const std::vector<ContextSwitch>& switches, size_t i) {
  const std::string who = trace.threads[switches[i].to].displayName;
  const bool isLast = i + 1 == switches.size();
  const bool fails = trace.failure.event != kNoEvent && trace.threadOf(trace.failure.event) == switches[i].to;
  return isLast && fails ? fmt::format("; {} runs until it fails", who) : fmt::format("; {} goes on", who);
}

void printSwitches(const TracedSchedule& schedule, const SourceFiles& sources) {
  const SymbolicTrace& trace = *schedule.trace;
  const std::vector<ContextSwitch> switches = switchesOf(trace, untilFailure(trace, schedule.order));
  const char* arrow = wantsUtf8() ? "→" : "->";
  size_t said[2] = {0, 0};
  for (const bool preemptive : {true, false})
    for (size_t i = 0; i < switches.size(); ++i) {
      const ContextSwitch& change = switches[i];
      if (change.preemptive != preemptive || said[preemptive]++ >= kMostSwitchesSaid) continue;
      const char* label = said[preemptive] > 1 ? "" : preemptive ? "Preempted" : "Had to wait";
      say(label, preemptive ? preemptionWords(trace, sources, change) + thenWords(trace, switches, i)
                            : fmt::format("{} {} {}  {}", trace.threads[change.from].displayName, arrow,
                                          trace.threads[change.to].displayName,
                                          waitWords(trace, schedule.order, change)));
    }
  for (const bool preemptive : {true, false})
    if (said[preemptive] > kMostSwitchesSaid)
      say("", fmt::format("and {} more {}", said[preemptive] - kMostSwitchesSaid,
                          preemptive ? "preemptions" : "switches at which a thread had to wait"));
}

// Without a trace a place is the number of a point.
void printTurns(const Turns& turns) {
  size_t said = 0;
  for (size_t i = 0; i + 1 < turns.size() && said < kMostSwitchesSaid; ++i)
    if (!turns[i].mustWait)
      say(said++ ? "" : "Preempted", fmt::format("thread {} before its event {}; thread {} goes on",
                                                 turns[i].thread, turns[i].end, turns[i + 1].thread));
}

std::vector<std::string> namesOf(const Simplified& result) {
  std::vector<std::string> names = result.removed;
  for (std::string& name : names)
    for (size_t i = 0; result.traced.trace && i < result.traced.trace->threads.size(); ++i)
      if (result.traced.trace->threads[i].id == name) name = result.traced.trace->threads[i].displayName;
  return names;
}

void printExecuted(const Simplified& result) {
  if (!result.removed.empty())
    say("Not needed", fmt::format("{}: the failure comes without {}", fmt::join(namesOf(result), ", "),
                                  result.removed.size() == 1 ? "it" : "them"));
  if (!result.executed) return;
  const TinertiaResult& executed = *result.executed;
  say("Minimal", executed.isMinimal
                     ? fmt::format("no single switch can go: {} moves tried, each alone (local minimum); {}, {}",
                                   executed.checked, countedWords(executed.runs, "run", "runs"),
                                   countedWords(executed.iterations, "iteration", "iterations"))
                     : fmt::format("not shown: the budget of runs or seconds ended first ({})",
                                   countedWords(executed.runs, "run", "runs")));
}

} // namespace

const char* toText(SimplifyMethod method) {
  switch (method) {
  case SimplifyMethod::merge: return "static";
  case SimplifyMethod::evaluate: return "evaluate";
  case SimplifyMethod::execute: return "execute";
  case SimplifyMethod::automatic: return "recorded";
  }
  return "?";
}

void printSimplified(const Simplified& result, const Recording& recording, const std::string& kept,
                     const std::string& directory) {
  printTable(result.steps);
  const char* arrow = wantsUtf8() ? "→" : "->";
  std::string words = fmt::format("{} {} {}, {} {} {}", result.before().switches, arrow,
                                  countedWords(result.after().switches, "context switch", "context switches"),
                                  result.before().preemptions, arrow,
                                  countedWords(result.after().preemptions, "preemption", "preemptions"));
  if (result.replays > 0)
    words += fmt::format("; still fails {}/{} with {}", result.failedAgain, result.replays,
                         result.traced.trace ? failureWords(*result.traced.trace) : "the same failure");
  say(result.after().switches < result.before().switches ? "SIMPLER" : "AS SIMPLE", words);
  if (result.traced.trace)
    printSwitches(result.traced, recording.sources);
  else if (result.executed)
    printTurns(result.executed->after);
  printExecuted(result);
  if (!result.note.empty()) say("Note", result.note);
  if (!result.problem.empty()) say("Replays", "a replay of the result " + result.problem);
  fmt::print("{}{}\n", padded("Kept", kLabelColumns), kept);
  fmt::print("{}symbiosis diagnose{} --schedule {}\n", padded("Next", kLabelColumns),
             directory.empty() ? "" : " " + directory, kept);
}

} // namespace symbiosis
