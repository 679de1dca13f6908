// `symbiosis view`: show the report, or say where it is.
#include "cli/command.h"
#include "replay/launch.h"
#include "trace/recording.h"
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

namespace symbiosis {

static Result<void> view(const std::string& directory) {
  Result<std::filesystem::path> recording = findRecording(directory);
  if (!recording) return recording.error();
  for (const char* name : {"dsp.html", "dsp.svg"}) {
    const std::filesystem::path page = *recording / "report" / name;
    if (!std::filesystem::exists(page)) continue;
    const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
    fmt::print("{}\n", page.string());
    if (!desktop) return {};
    LaunchOptions options;
    options.program = "xdg-open";
    options.arguments = {page.string()};
    options.quiet = true;
    Result<Ending> opened = launch(options); // without xdg-open the printed path has to do
    (void)opened;
    return {};
  }
  return badInput(
      fmt::format("{}: no report yet; make it with: symbiosis diagnose {}", recording->string(), directory));
}

void addViewCommand(CLI::App& app, int& exitCode) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("view", "Open the report of a recording, or print where it is");
  command->add_option("DIR", *directory, "Recording (default: .symbiosis/latest)");
  command->callback([directory, &exitCode] {
    Result<void> done = view(*directory);
    exitCode = done ? 0 : report(done.error());
  });
}

} // namespace symbiosis
