#include "viz/report.h"
#include "support/files.h"
#include "trace/schedule.h"
#include "viz/views.h"
#include <fmt/format.h>

namespace symbiosis {

Result<void> writeReport(const Diagnosis& diagnosis, const SymbolicTrace& trace, const Recording& recording) {
  const std::filesystem::path directory = recording.directory / "report";
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return badInput(fmt::format("{}: cannot create: {}", directory.string(), error.message()));
  auto scheduleText = [&](const EventOrder& order) {
    return toText(toSchedule(trace, order, recording.info.programHash));
  };
  // Runs on different paths have a trace each.
  auto runText = [&](size_t side, const EventOrder& order) {
    const OtherPath* other = diagnosis.otherPath.get();
    return other ? toText(toSchedule(other->runs[side], other->orders[side], recording.info.programHash))
                 : scheduleText(order);
  };
  std::vector<std::pair<std::string, std::string>> files = {
      {"dsp.json", renderJson(diagnosis, trace)},
      {"dsp.html", renderHtml(diagnosis, trace, recording.sources)},
      {"dsp.svg", renderSvg(diagnosis, trace, recording.sources)},
      {"dsp.dot", renderDot(diagnosis, trace, recording.sources)},
      {"failing.schedule", runText(0, diagnosis.failing)},
  };
  if (diagnosis.alternate.status == AlternateStatus::found)
    files.push_back({"alternate.schedule", runText(1, diagnosis.alternate.order)});
  for (size_t i = 0; i < diagnosis.otherAlternates.size(); ++i)
    files.push_back(
        {fmt::format("alternate-{}.schedule", i + 2), scheduleText(diagnosis.otherAlternates[i].order)});
  for (const auto& [name, content] : files)
    if (Result<void> written = writeFileAtomically(directory / name, content); !written) return written;
  return {};
}

} // namespace symbiosis
