#include "search/oracle.h"
#include "replay/launch.h"
#include <fmt/format.h>

namespace symbiosis {

Result<TestOutcome> askOracle(const std::string& command, const Ending& ending, const std::string& output) {
  LaunchOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", command};
  options.standardInput = output;
  options.environment = {{"SYMBIOSIS_ENDING", toText(ending)}};
  if (ending.kind == EndingKind::exited)
    options.environment.emplace_back("SYMBIOSIS_STATUS", std::to_string(ending.code));
  options.timeoutSeconds = 60;
  options.quiet = true;
  Result<Ending> answer = launch(options);
  if (!answer) return answer.error();
  if (answer->kind != EndingKind::exited || answer->code > 125)
    return badInput(
        fmt::format("the oracle '{}' did not answer: {}; it must exit with 0 (passed), 1 (failed) or up to "
                    "125 (cannot say)",
                    command, toText(*answer)));
  return answer->code == 0 ? TestOutcome::pass : answer->code == 1 ? TestOutcome::fail : TestOutcome::unresolved;
}

} // namespace symbiosis
