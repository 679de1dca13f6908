#include "breakpoints/diagnosed.h"
#include "search/recorded_runs.h"
#include "support/files.h"
#include "symexec/symexec.h"
#include "trace/evaluator.h"
#include "trace/recorded_order.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace symbiosis {

namespace fs = std::filesystem;

namespace {

// "lost update on careless: T2 reads …"; nothing of the report is needed but its words.
std::string headlineIn(const fs::path& report) {
  Result<std::string> text = readFile(report);
  if (!text) return {};
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("classification")) return {};
  const nlohmann::json& what = json["classification"];
  return what.is_object() ? what.value("headline", "") : std::string();
}

// The schedule in terms of the recording's trace, if it follows its path and fails.
Result<DiagnosedRecording> explainedBy(const fs::path& directory, const Schedule& schedule) {
  Result<Recording> recording = openRecording(directory);
  if (!recording) return recording.error();
  Result<SymbolicTrace> trace = executeSymbolically(*recording);
  if (!trace) return trace.error();
  Result<EventOrder> order = toOrder(*trace, schedule);
  if (!order) return order.error();
  DiagnosedRecording result{std::move(*recording), std::move(*trace), std::move(*order), {}, {}};
  if (Evaluator(result.trace).run(result.failing).outcome != Outcome::failing)
    return badInput(fmt::format("{}: the failing schedule of its report does not fail", directory.string()));
  return result;
}

// Where the diagnosis has left the path or the level of the recording: the run along its schedule.
Result<DiagnosedRecording> recordedAgain(const fs::path& directory, const Schedule& schedule) {
  Result<Recording> recording = openRecording(directory);
  if (!recording) return recording.error();
  Result<WalkedRun> run = recordFailing(*recording, schedule, directory / "breakpoints" / "run");
  if (!run) return run.error();
  return DiagnosedRecording{std::move(run->recording), std::move(run->trace), std::move(run->order), {}, {}};
}

// Of a native run: by the last time that the thread looked at the clock.
EventOrder orderOfTimes(const SymbolicTrace& trace) {
  std::vector<uint64_t> times;
  EventOrder order;
  for (EventRef ref = 0; ref < trace.events.size(); ++ref) {
    const bool goesOn = ref > 0 && trace.threadOf(ref) == trace.threadOf(ref - 1);
    times.push_back(std::max(trace.event(ref).timestamp, goesOn ? times[ref - 1] : 0));
    order.push_back(ref);
  }
  std::stable_sort(order.begin(), order.end(), [&](EventRef a, EventRef b) { return times[a] < times[b]; });
  return order;
}

} // namespace

Result<RecordedTrace> traceOf(const Recording& recording) {
  Result<SymbolicTrace> trace = executeSymbolically(recording);
  if (!trace) return trace.error();
  RecordedTrace result{std::move(*trace), {}};
  if (!recording.granted.empty()) {
    result.order = recordedOrder(result.trace, recording);
    return result;
  }
  result.order = orderOfTimes(result.trace);
  return result;
}

Result<DiagnosedRecording> openDiagnosed(const fs::path& directory) {
  const fs::path report = directory / "report";
  if (Result<Recording> recording = openRecording(directory); !recording) return recording.error();
  if (!fs::exists(report / "failing.schedule"))
    return badInput(fmt::format("{}: has not been diagnosed; first: symbiosis diagnose {}", directory.string(),
                                directory.string()));
  Result<Schedule> schedule = loadSchedule(report / "failing.schedule");
  if (!schedule) return schedule.error();
  Result<DiagnosedRecording> result = explainedBy(directory, *schedule);
  if (!result) result = recordedAgain(directory, *schedule);
  if (!result) return result.error();
  std::error_code unresolved;
  result->name = fs::weakly_canonical(directory, unresolved).filename().string();
  result->headline = headlineIn(report / "dsp.json");
  return result;
}

} // namespace symbiosis
