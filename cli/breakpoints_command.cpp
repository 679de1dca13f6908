// `symbiosis breakpoints`: the cause of a failure as concurrent breakpoints (breakpoints/orderings.h).
#include "breakpoints/conflicts.h"
#include "breakpoints/diagnosed.h"
#include "breakpoints/patch.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "support/files.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

struct BreakpointsCommand {
  std::string directory;
  std::string emit; // "patch", "gtest"; empty: nothing
  std::string output;
  bool run = false;
  bool search = false;
  size_t times = 20;
  size_t most = 40; // conflicts that are tried
};

// "queue.c:31 (T2) before queue.c:36 (T3)", one line each.
void printOrderings(const DiagnosedRecording& of, const Visits& visits, const Orderings& orderings) {
  auto thread = [&](EventRef event) { return of.trace.threads[of.trace.threadOf(event)].displayName; };
  auto place = [&](EventRef event) { return fmt::format("{} ({})", visits.describe(event), thread(event)); };
  auto isAtEnd = [&](const Ordering& each) {
    return each.next != kNoEvent && of.trace.event(each.next).kind == EventKind::exit;
  };
  const char* label = "Orderings";
  for (const Ordering& each : orderings) {
    const std::string first = each.isHold     ? "the failure"
                              : isAtEnd(each) ? fmt::format("the end of {}", thread(each.before))
                                              : place(each.before);
    fmt::print("{:<12} {} before {}{}\n", label, first, each.isBehind ? "what follows " : "", place(each.after));
    label = "";
  }
}

Result<void> writeOutput(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (!file.parent_path().empty()) fs::create_directories(file.parent_path(), ignored);
  return writeFileAtomically(file, text);
}

std::string titleOf(const DiagnosedRecording& of, const Weakened& chosen) {
  return fmt::format("Concurrent breakpoints of {}: {}\n{} of {} runs under control failed with them. Apply with: "
                     "patch -p1\n\n",
                     of.name, of.headline, chosen.check.failed, chosen.check.runs);
}

Result<int> emitPatch(const BreakpointsCommand& command, const DiagnosedRecording& of, const Visits& visits,
                      const Weakened& chosen, const fs::path& place) {
  Result<Patch> patch = patchOf(of.recording, of.trace, visits, chosen.orderings, of.name);
  if (!patch) return patch.error();
  const fs::path file = command.output.empty() ? place / "breakpoints.patch" : fs::path(command.output);
  const fs::path root = rootOf(*patch);
  if (Result<void> written = writeOutput(file, toText(*patch, titleOf(of, chosen), root)); !written)
    return written.error();
  const std::string where = root == fs::current_path() ? "" : fmt::format(" -d {}", root.string());
  fmt::print("{:<12} {}\n", "Patch", file.string());
  fmt::print("{:<12} patch -p1{} < {}; then build as always, with -I<prefix>/include\n", "Next", where,
             file.string());
  return 0;
}

Result<int> emitTest(const BreakpointsCommand& command, const DiagnosedRecording& of, const fs::path& place) {
  const fs::path file = command.output.empty() ? place / "breakpoint_test.cpp" : fs::path(command.output);
  if (Result<void> written = writeOutput(file, testOf(of.recording, of.name, command.times)); !written)
    return written.error();
  fmt::print("{:<12} {}\n", "Test", file.string());
  return 0;
}

Result<int> runBreakpoints(const BreakpointsCommand& command, const DiagnosedRecording& of, const Weakened& chosen,
                           Progress& progress) {
  Result<EnforcedRuns> runs =
      runEnforced(of.recording, of.trace, chosen.orderings, command.times, false,
                  [&](size_t made) { progress.show(fmt::format("run {} of {}", made, command.times)); });
  if (!runs) return runs.error();
  progress.clear();
  fmt::print("{:<12} {} of {} failed as recorded; the breakpoint was hit in {}\n", "Runs", runs->failed,
             runs->runs, runs->hit);
  return runs->failed == runs->runs ? 0 : 1;
}

// A table like that of the paper (§5): the failure follows, and the breakpoint was hit.
void printTried(const SymbolicTrace& trace, const Visits& visits, const std::vector<TriedOrder>& tried) {
  auto place = [&](EventRef event) {
    return fmt::format("{} ({})", visits.describe(event), trace.threads[trace.threadOf(event)].displayName);
  };
  auto percent = [](size_t part, const EnforcedRuns& runs) { return fmt::format("{} %", part * 100 / runs.runs); };
  fmt::print("{:<60} {:<20} {:>8} {:>8}\n", "order", "variable", "fails", "hit");
  for (const TriedOrder& each : tried)
    fmt::print("{:<60} {:<20} {:>8} {:>8}\n",
               fmt::format("{} -> {}", place(each.conflict.first), place(each.conflict.second)),
               each.conflict.variable, percent(each.runs.failed, each.runs), percent(each.runs.hit, each.runs));
}

Result<int> searchConflicts(const BreakpointsCommand& command, const fs::path& directory) {
  Result<Recording> recording = openRecording(directory);
  if (!recording) return recording.error();
  Result<RecordedTrace> run = traceOf(*recording);
  if (!run) return run.error();
  const Visits visits(run->trace, recording->sources);
  const std::vector<Conflict> conflicts = conflictsOf(run->trace, visits, run->order, command.most);
  if (conflicts.empty()) return nothingFound("the recorded run has no conflicts in sources that it knows");
  fmt::print("symbiosis: {} conflicts in both orders, {} runs each of {}\n", conflicts.size(), command.times,
             recording->info.program);
  std::fflush(stdout);
  Progress progress;
  Result<std::vector<TriedOrder>> tried =
      tryConflicts(*recording, run->trace, conflicts, command.times, [&](size_t done, size_t all, size_t made) {
        progress.show(fmt::format("order {} of {}: run {} of {}", done + 1, all, made, command.times));
      });
  if (!tried) return tried.error();
  progress.clear();
  std::stable_sort(tried->begin(), tried->end(), [](const TriedOrder& a, const TriedOrder& b) {
    return std::min(a.runs.failed, a.runs.hit) > std::min(b.runs.failed, b.runs.hit);
  });
  printTried(run->trace, visits, *tried);
  const TriedOrder& best = tried->front();
  return std::min(best.runs.failed, best.runs.hit) > 0 ? 0 : 1;
}

Result<int> breakpoints(const BreakpointsCommand& command) {
  Result<fs::path> directory = findRecording(command.directory);
  if (!directory) return directory.error();
  if (command.search) return searchConflicts(command, *directory);
  Result<DiagnosedRecording> of = openDiagnosed(*directory);
  if (!of) return of.error();
  const Visits visits(of->trace, of->recording.sources);
  const EventOrder failing = alignedToStatements(of->trace, visits, of->failing);
  const Orderings all = orderingsOf(of->trace, failing);
  const Orderings moved = movedToPlaces(of->trace, visits, all);
  Progress progress;
  auto canBePlaced = [&](const Ordering& ordering) { return bool(placed(of->trace, visits, ordering)); };
  auto weaken = [&](const Orderings& orderings) {
    constexpr size_t kRuns = 20;
    return weakened(of->recording, of->trace, orderings, canBePlaced, kRuns,
                    [&](size_t runs) { progress.show(fmt::format("which orderings matter: run {}", runs)); });
  };
  Result<Weakened> chosen = weaken(moved);
  if (!chosen && chosen.error().kind == ErrorKind::nothingFound) chosen = weaken(all);
  if (!chosen) return chosen.error();
  progress.clear();
  fmt::print("{:<12} {} of {} orderings matter; with them {} of {} runs failed ({} runs in all)\n", "Breakpoint",
             chosen->orderings.size(), all.size(), chosen->check.failed, chosen->check.runs, chosen->runs);
  printOrderings(*of, visits, chosen->orderings);
  if (chosen->orderings.empty())
    return nothingFound("no ordering matters: the program fails in every run, and needs no breakpoint for it");
  const fs::path place = *directory / "breakpoints";
  Result<int> done = command.emit == "patch"   ? emitPatch(command, *of, visits, *chosen, place)
                     : command.emit == "gtest" ? emitTest(command, *of, place)
                     : command.run             ? runBreakpoints(command, *of, *chosen, progress)
                                               : Result<int>(0);
  // Orderings that do not force the failure are better than nothing, and less than was asked for.
  return done && *done == 0 && chosen->check.failed < chosen->check.runs ? 3 : done;
}

} // namespace

void addBreakpointsCommand(CLI::App& app, int& exitCode) {
  auto given = std::make_shared<BreakpointsCommand>();
  CLI::App* command = app.add_subcommand(
      "breakpoints",
      "The cause of a diagnosed failure as concurrent breakpoints, for the plain build: DIR/breakpoints/");
  command->add_option("DIR", given->directory, "Recording that was diagnosed (default: .symbiosis/latest)");
  command
      ->add_option(
          "--emit", given->emit,
          "patch: a unified diff that puts the breakpoints into the sources (symbiosis/breakpoints.h), so "
          "that the plain build fails; gtest: a test that runs that build and fails until the bug is fixed")
      ->check(CLI::IsMember({"patch", "gtest"}));
  command->add_option("-o,--output", given->output, "Write it to this file")->needs("--emit");
  command
      ->add_flag("--run", given->run,
                 "Run the recorded program with the breakpoints enforced by symbiosis, its sources untouched")
      ->excludes("--emit");
  command
      ->add_flag(
          "--search", given->search,
          "Needs no diagnosis: each conflict that was seen in the recorded run is tried in both orders; how "
          "often the failure follows, and how often the breakpoint was hit. A failure without a hit has another "
          "cause")
      ->excludes("--emit")
      ->excludes("--run");
  command->add_option("--conflicts", given->most, "With --search: at most so many, the nearest first")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--times", given->times, "With --run, --search or --emit gtest: how many runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->callback([given, &exitCode] {
    Result<int> done = breakpoints(*given);
    exitCode = done ? *done : report(done.error());
  });
}

} // namespace symbiosis
