// pages FOLDER: writes the pages that the browser tests open.
#include "support/files.h"
#include "tests/viz/fixed_dsps.h"
#include "viz/views.h"
#include <filesystem>
#include <fmt/format.h>

using namespace symbiosis;

// Everything that a program names is markup, and would run if any of it were taken as such.
static testing::FixedDsp hostile() {
  const std::string name =
      "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\">{{css}}\"'&";
  testing::Example example = testing::runningExample();
  for (Event& event : example.trace.events)
    if (!event.variable.empty()) event.variable = name;
  for (TraceThread& thread : example.trace.threads) thread.startFunction = name;
  example.trace.failure.message = name;
  std::string source;
  for (int line = 0; line < 30; ++line) source += name + "\n";
  example.sources = {};
  example.sources.add("test.c", source);
  testing::FixedDsp dsp = testing::solvedDsp("hostile", std::move(example));
  dsp.diagnosis.program = {name, {name}};
  dsp.diagnosis.recording = name;
  dsp.diagnosis.limits = {name};
  return dsp;
}

int main(int count, char** arguments) {
  if (count != 2) return fmt::print(stderr, "usage: pages FOLDER\n"), 2;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  std::vector<testing::FixedDsp> all = testing::fixedDsps();
  all.push_back(hostile());
  all.push_back(testing::countersDsp("hundred-thousand", 5, 12500, 1));
  for (const testing::FixedDsp& dsp : all)
    if (Result<void> written = writeFileAtomically(
            folder / (dsp.name + ".html"), renderHtml(dsp.diagnosis, dsp.example.trace, dsp.example.sources));
        !written)
      return fmt::print(stderr, "{}\n", written.error().message), 1;
}
