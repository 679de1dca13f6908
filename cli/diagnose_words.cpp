#include "cli/diagnose_words.h"
#include "cli/command.h"
#include "viz/views.h"
#include "viz/words.h"
#include <fmt/format.h>

namespace symbiosis {

void DiagnoseWords::begins(Stage stage) {
  switch (stage) {
  case Stage::symbolicTrace: return progress_.show("following the recorded paths");
  case Stage::failingSchedule: return progress_.show("solving for a failing schedule");
  case Stage::rootCause: return progress_.show("finding the root cause");
  case Stage::alternate: return progress_.show("looking for the nearest passing schedule");
  case Stage::simplerSchedule: return progress_.show("looking for a simpler failing schedule");
  case Stage::otherPath: return progress_.show("turning decisions");
  case Stage::firstReplay:
  case Stage::foundAgain:
  case Stage::certificate:
  case Stage::otherAlternate: return; // willRun
  }
}

void DiagnoseWords::goesOnFromSaved() {
  fmt::print("symbiosis: going on from what the last diagnosis found (--again starts anew)\n");
}

void DiagnoseWords::willRun(Stage stage, size_t schedules, size_t runs) {
  if (stage == Stage::otherPath)
    fmt::print("symbiosis: looking for a run on another path: turning decisions now, at most {} runs of {}\n",
               runs, program_);
  else if (stage == Stage::firstReplay)
    fmt::print("symbiosis: trying the failing schedule now, once, on {}\n", program_);
  else if (stage == Stage::otherAlternate)
    fmt::print("symbiosis: no continuation of the alternate ends well; replaying another alternate now, at most "
               "{} runs of {}\n",
               runs, program_);
  else
    fmt::print("symbiosis: replaying {} now, at most {} runs of {}\n",
               schedules == 2 ? "the failing and the alternate schedule" : "the failing schedule", runs, program_);
  std::fflush(stdout);
}

void DiagnoseWords::looksAgain(const std::string& why, size_t runs) {
  fmt::print("symbiosis: {}\nsymbiosis: looking for the same failure under control now, at most {} runs of {}\n",
             why, runs, program_);
  std::fflush(stdout);
}

void DiagnoseWords::runs(Stage stage, size_t run, size_t of) {
  if (stage == Stage::otherPath)
    return progress_.show(fmt::format("turning decisions: run {}, at most {}", run, of));
  if (stage == Stage::foundAgain)
    return progress_.show(fmt::format("looking for the failure under control: run {}, at most {}", run, of));
  progress_.show(fmt::format("replay {} of {}", run, of));
}

void printSummary(const DiagnosedRun& run, const Recording& recording, const std::string& directory) {
  TerminalOptions terminal;
  terminal.utf8 = wantsUtf8();
  terminal.colour = wantsColour();
  terminal.report = (recording.directory / "report" / "dsp.html").string();
  const std::string which = directory.empty() ? "" : " " + directory;
  terminal.next = "symbiosis replay" + which + " --failing --gdb";
  hintAtDebugInformation(recording.sources);
  fmt::print("{}", renderSummary(run.diagnosis, run.trace, recording.sources, terminal));
  for (const std::string& sentence : otherWords(run.diagnosis, run.trace)) fmt::print("{}\n", sentence);
}

} // namespace symbiosis
