#include "replay/logged_run.h"
#include "support/owned_directory.h"
#include <algorithm>
#include <fmt/format.h>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// What the threads of `how` were fed, for the threads of the repeat.
std::vector<ThreadInputs> inputsFor(const Plan& repeat, const Plan& how) {
  const std::vector<std::string> wanted = threadIds(repeat.threads), known = threadIds(how.threads);
  std::vector<ThreadInputs> inputs(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    for (size_t k = 0; k < known.size() && k < how.inputs.size(); ++k)
      if (wanted[i] == known[k]) inputs[i] = how.inputs[k];
  return inputs;
}

bool sameEvents(const ControlReport& a, const ControlReport& b) {
  return std::equal(a.log.begin(), a.log.end(), b.log.begin(), b.log.end(),
                    [](const format::ControlEntry& x, const format::ControlEntry& y) {
                      return x.thread == y.thread && x.type == y.type && x.kind == y.kind && x.index == y.index &&
                             x.silent == y.silent && x.site == y.site && x.choice == y.choice;
                    });
}

} // namespace

Result<ControlReport> recordAgain(const LoggedRun& run, const std::filesystem::path& logs) {
  ControlledRun again;
  again.launch = run.how.launch;
  again.plan = planOf(run.report);
  again.plan.entries = withoutAddresses(std::move(again.plan.entries));
  again.plan.inputs = inputsFor(again.plan, run.how.plan);
  again.strict = true;
  again.heldMegabytes = run.how.heldMegabytes;
  again.stepLimit = run.how.stepLimit;
  again.log = run.how.log;
  again.recordTo = logs;
  Result<ControlReport> report = runControlled(again);
  if (!report) return report;
  if (report->outcome == format::ControlOutcome::diverged)
    return nothingFound("the repeat went another way: " + report->text);
  if (report->ending != run.report.ending || report->outcome != run.report.outcome ||
      !sameEvents(*report, run.report))
    return nothingFound(fmt::format("the repeat ended with {}", toText(report->ending)));
  return report;
}

fs::path placeOfAlternate(const Recording& recording) { return recording.directory / "report" / "alternate"; }

Result<Recording> keepBeside(const Recording& like, const LoggedRun& run, const fs::path& logs,
                             const fs::path& directory) {
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  fs::create_directories(directory.parent_path(), ignored);
  NewRecording recording;
  recording.logs = logs;
  recording.executable = fs::absolute(like.program());
  recording.info = like.info;
  recording.info.ending = run.report.ending;
  recording.info.problem = run.report.text;
  recording.info.heldMegabytes = run.how.heldMegabytes;
  if (Result<void> saved = saveRecording(recording, directory, directory.parent_path() / "programs"); !saved)
    return saved.error();
  Result<Recording> kept = openRecording(directory);
  if (kept) kept->sources = like.sources;
  return kept;
}

Result<Recording> recordBeside(const Recording& like, const LoggedRun& run, const fs::path& directory) {
  Result<OwnedDirectory> place = OwnedDirectory::make(fs::temp_directory_path(), "symbiosis-beside-");
  if (!place) return place.error();
  Result<ControlReport> again = recordAgain(run, place->path() / "logs");
  if (!again) return again.error();
  return keepBeside(like, {run.how, std::move(*again)}, place->path() / "logs", directory);
}

} // namespace symbiosis
