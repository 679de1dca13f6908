// Every program of tests/programs/correct, recorded as it runs by itself: each thread's path decodes, the run has
// an order under the model of its synchronisation, and the real program follows that order to the same end.
#include "tests/replay/compiled_program.h"
#include "tests/replay/program_list.h"
#include "tests/workspace.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace symbiosis {
namespace {

using testing::compiledProgram;

class NativeProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(NativeProgram, IsRecordedExplainedAndRepeated) {
  const testing::Workspace workspace;
  const std::filesystem::path program = compiledProgram(GetParam());
  // The status 0 is not the expected one, so that the run counts as a failure and is kept.
  ASSERT_STATUS(workspace.symbiosis(fmt::format(
                    "profile --record full --schedule native --runs 1 --expect-exit 77 '{}'", program.string())),
                0);
  ASSERT_STATUS(workspace.symbiosis("dump --blocks"), 0);
  ASSERT_STATUS(workspace.symbiosis("dump --trace"), 0);
  const testing::CommandResult diagnosed = workspace.symbiosis("diagnose --replays 2");
  const std::string report = workspace.read(".symbiosis/latest/report/dsp.json");
  const nlohmann::json parsed = nlohmann::json::parse(report, nullptr, false);
  ASSERT_FALSE(parsed.is_discarded()) << diagnosed.output;
  EXPECT_EQ(parsed["certificate"]["failing"]["reproduced"], 2) << diagnosed.output;
}

// A pipe that waits for another process has nobody to write to it here; what orders threads at a pipe or by
// cancelling is not in the trace, nor is what a futex of C++20's waits does; and libstdc++'s barrier hashes
// addresses of threads, which are others under control.
bool ordersThreadsByOtherMeans(const std::string& program) {
  for (const char* name : {"pipe", "cancelled", "latch", "cxx_barrier"})
    if (program.find(name) != std::string::npos) return true;
  return false;
}
std::vector<std::string> explainedPrograms() {
  std::vector<std::string> programs = testing::programsIn("correct");
  std::erase_if(programs, ordersThreadsByOtherMeans);
  return programs;
}
INSTANTIATE_TEST_SUITE_P(All, NativeProgram, ::testing::ValuesIn(explainedPrograms()),
                         [](const auto& param) { return std::filesystem::path(param.param).stem().string(); });

} // namespace
} // namespace symbiosis
